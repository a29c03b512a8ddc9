// Keeps a trial's page up to date: asks every two seconds for its state, and loads the page again when that is another.
(function () {
  "use strict";
  var PERIOD_MS = 2000;
  var address = document.currentScript.dataset.state;
  var first = null;
  document.getElementById("reloads").hidden = false;

  function ask() {
    if (document.hidden) return;
    fetch(address, { credentials: "same-origin" }).then(function (response) {
      if (!response.ok) throw new Error(response.status);
      return response.text();
    }).then(function (text) {
      if (first !== null && first !== text || !JSON.parse(text).waiting) location.reload();
      first = text;
    }).catch(function () { /* the server restarts, or the network is gone: the next round shows */ });
  }
  setInterval(ask, PERIOD_MS);
})();
