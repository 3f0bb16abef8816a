// What scrolls can be reached by keyboard, and the search has a name for those who hear the page.
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  const reach = () => document.querySelectorAll("pre > code, .md-typeset__scrollwrap").forEach((part) => (part.tabIndex = 0));
  reach();
  new MutationObserver(reach).observe(document.querySelector(".md-content") ?? document.body, { childList: true, subtree: true });
});
