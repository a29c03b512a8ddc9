// Keeps /queue/ up to date: asks /api/queue every few seconds, and replaces the live part of the page when something moves.
(function () {
  "use strict";
  var PERIOD_MS = 5000;
  var api = document.currentScript.dataset.api;
  var live = document.getElementById("live");
  var seen = null;
  document.getElementById("refreshes").hidden = false;

  function get(address) {
    return fetch(address, { cache: "no-cache" }).then(function (response) {
      if (!response.ok) throw new Error(response.status);
      return response.text();
    });
  }
  // The ages tick on by themselves: only the counts say whether something has happened.
  function counts(archs) {
    return JSON.stringify(archs.map(function (a) { return [a.queued, a.running, a.failed, a.parked, a.workers, a.reason]; }));
  }
  function replace(page) {
    var fresh = new DOMParser().parseFromString(page, "text/html").getElementById("live");
    if (!fresh || live.contains(document.activeElement)) return; // never under a reader's fingers
    live.replaceChildren.apply(live, Array.from(fresh.childNodes));
    window.localTimes(live);
  }
  function refresh() {
    if (document.hidden) return;
    get(api).then(function (text) {
      var archs = JSON.parse(text).archs, now = counts(archs);
      var busy = archs.some(function (a) { return a.running; });
      var moved = busy || now !== seen;
      seen = now;
      if (moved) return get(location.href).then(replace);
    }).catch(function () { /* the server restarts, or the network is gone: the next round shows */ });
  }
  setInterval(refresh, PERIOD_MS);
})();
