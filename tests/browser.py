"""Drives a headless Chromium through its DevTools protocol, over a pipe: nothing but Python and the browser is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path


class PageError(Exception):
    """What went wrong inside a page, or between it and us."""


def find_browser():
    """The path of a Chromium, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


class Browser:
    """A browser without any network. Collects what pages say on their console, and every request that they try."""

    def __init__(self, width=1280, height=900, dark=False):
        self.profile = tempfile.mkdtemp(prefix="omvc-browser-")
        to_browser, from_us = os.pipe()
        to_us, from_browser = os.pipe()
        command = [find_browser(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-sync",
                   "--disable-component-update", "--disable-default-apps", "--hide-scrollbars", "--force-device-scale-factor=1",
                   # Whatever a page asks for goes nowhere.
                   "--proxy-server=127.0.0.1:9", "--host-resolver-rules=MAP * ~NOTFOUND",
                   f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "--remote-debugging-pipe", "about:blank"]
        # The browser reads from descriptor 3 and writes to 4.
        def prepare():
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(command, preexec_fn=prepare, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.write_end, self.read_end = from_us, to_us
        self.buffer = b""
        self.number = 0
        self.session = None
        self.console, self.requests = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        self.size = width, height
        self.set_size(width, height)
        self.set_dark(dark)

    def set_size(self, width, height, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def set_dark(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def close(self):
        try:
            self.session = None
            self.call("Browser.close", wait=10)
        except PageError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def call(self, method, wait=90, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.write(json.dumps(message).encode() + b"\0")
        number = self.number
        while True:
            answer = self.read(wait)
            if answer.get("id") == number:
                if "error" in answer:
                    raise PageError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def write(self, data):
        while data:
            data = data[os.write(self.write_end, data):]

    def read(self, wait):
        end = time.monotonic() + wait
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise PageError("the browser does not answer")
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise PageError("the browser has ended")
            self.buffer += more
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def note(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description", details.get("text", "?")))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.console.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.console.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.console.append("a dialog opened: " + params.get("message", ""))
            raise PageError("a dialog opened: " + params.get("message", ""))

    def open(self, path, ready="document.documentElement?.dataset.ready === 'yes'", wait=60):
        """Opens a file and waits until the page says that it is ready."""
        self.console, self.requests = [], []
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        end = time.monotonic() + wait
        while not self.evaluate(ready):
            if time.monotonic() > end:
                raise PageError(f"{path} does not become ready: {self.console}")
            time.sleep(0.05)

    def evaluate(self, script):
        """The value of an expression in the page; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise PageError(str(answer["exceptionDetails"].get("exception", {}).get("description", answer)))
        return answer["result"].get("value")

    def screenshot(self, path, clip=None, whole=False):
        options = {"format": "png"}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12000)}
        if clip:
            options["clip"] = {**clip, "scale": 1}
            options["captureBeyondViewport"] = True
        Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", **options)["data"]))
