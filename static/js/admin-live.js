// Keeps a page of the admin up to date: asks for a short state, and replaces #live when that has changed. Says it politely in #said.
(function () {
  "use strict";
  var PERIOD_MS = 2000;
  var live = document.getElementById("live");
  var said = document.getElementById("said");
  if (!live || !live.dataset.busy) return;
  var seen = null;
  var timer = setInterval(ask, PERIOD_MS);

  function get(address) {
    return fetch(address, { credentials: "same-origin" }).then(function (response) {
      if (!response.ok || response.redirected) throw new Error(response.status); // signed out meanwhile
      return response.text();
    });
  }
  function replace(page) {
    var fresh = new DOMParser().parseFromString(page, "text/html").getElementById("live");
    if (!fresh || live.contains(document.activeElement)) { seen = null; return; } // never under a reader's fingers
    var open = Array.from(live.querySelectorAll("details"), function (d) { return d.open; });
    live.replaceChildren.apply(live, Array.from(fresh.childNodes));
    live.querySelectorAll("details").forEach(function (d, i) { if (i in open) d.open = open[i]; });
    live.dataset.busy = fresh.dataset.busy;
    if (!fresh.dataset.busy) clearInterval(timer);
  }
  function ask() {
    if (document.hidden) return;
    get(live.dataset.state).then(function (text) {
      var now = JSON.parse(text);
      if (now.stamp === seen) return;
      seen = now.stamp;
      if (said.textContent !== now.said) said.textContent = now.said;
      return get(location.href).then(replace);
    }).catch(function () { /* the server restarts, or the network is gone: the next round shows */ });
  }
})();
