// The theme button and times in the reader's own zone. Pages read without it.
(function () {
  "use strict";
  var modes = ["auto", "light", "dark"];
  var button = document.getElementById("theme");

  function current() {
    var theme = document.documentElement.dataset.theme;
    return modes.indexOf(theme) < 0 ? "auto" : theme;
  }
  function show() { button.textContent = "Theme: " + current(); }
  function choose(mode) {
    if (mode === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = mode;
    try { localStorage.setItem("theme", mode); } catch (error) { /* this page only, then */ }
    show();
    document.dispatchEvent(new Event("themechange"));
  }
  button.hidden = false;
  button.addEventListener("click", function () { choose(modes[(modes.indexOf(current()) + 1) % modes.length]); });
  show();

  var local = new Intl.DateTimeFormat("en-GB", {
    day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short",
  });
  window.localTimes = function (root) {
    root.querySelectorAll("time[datetime]:not([data-local])").forEach(function (element) {
      element.title = element.textContent; // as it came: UTC
      element.textContent = local.format(new Date(element.dateTime));
      element.dataset.local = "";
    });
  };
  window.localTimes(document);

  // A drop-down closes at Escape and at a click beside it.
  document.querySelectorAll("details.drop").forEach(function (drop) {
    drop.addEventListener("keydown", function (event) {
      if (event.key !== "Escape") return;
      drop.open = false;
      drop.querySelector("summary").focus();
    });
    document.addEventListener("click", function (event) { if (!drop.contains(event.target)) drop.open = false; });
  });

  document.querySelectorAll("[data-copy]").forEach(function (copy) {
    if (!navigator.clipboard) return;
    copy.hidden = false;
    copy.addEventListener("click", function () {
      var text = document.getElementById(copy.dataset.copy).innerText;
      navigator.clipboard.writeText(text).then(function () { copy.textContent = "copied"; });
    });
  });
})();
