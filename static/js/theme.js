// Runs before the page is painted: the theme the reader chose last time, if any.
(function () {
  "use strict";
  try {
    var chosen = localStorage.getItem("theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch (error) { /* storage may be forbidden: then the system's theme holds */ }
})();
