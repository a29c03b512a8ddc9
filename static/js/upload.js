// The upload form: a file may be dropped on it, its size is checked before it is sent, and a bar shows how far it is.
// Without this script it is a plain form.
(function () {
  "use strict";
  var form = document.getElementById("upload");
  var input = form.querySelector("input[type=file]");
  var drop = document.getElementById("drop");
  var chosen = document.getElementById("chosen");
  var errors = document.getElementById("upload-errors");
  var sending = document.getElementById("sending");
  var bar = document.getElementById("sent");
  var text = document.getElementById("sent-text");
  var said = document.getElementById("said");
  var submit = form.querySelector("input[type=submit]");
  var limit = Number(form.dataset.limit);
  var request = null;
  var tenth = 0;
  drop.querySelector(".ak-drop-hint").hidden = false;

  function size(bytes) {
    if (bytes < 1e3) return bytes + " bytes";
    return bytes < 1e6 ? (bytes / 1e3).toFixed(0) + " kB" : (bytes / 1e6).toFixed(1) + " MB";
  }
  function fail(messages, at) {
    errors.replaceChildren.apply(errors, messages.map(function (message) {
      var line = document.createElement("p");
      line.className = "errornote";
      line.textContent = message;
      return line;
    }));
    if (at) {
      at.setAttribute("aria-invalid", "true");
      at.focus();
    }
  }
  function tooLarge(file) {
    return file.name + " is " + size(file.size) + ": more than " + form.dataset.limitText + ", the most that may be uploaded.";
  }
  function look() {
    var file = input.files[0];
    fail([]);
    input.removeAttribute("aria-invalid");
    chosen.hidden = !file;
    if (!file) return false;
    chosen.textContent = file.name + ", " + size(file.size);
    if (file.size > limit) fail([tooLarge(file)], input);
    return file.size <= limit;
  }
  input.addEventListener("change", look);

  // Dropping: anywhere on the page, so that a miss does not make the browser leave it.
  function carriesFiles(event) { return event.dataTransfer && Array.from(event.dataTransfer.types).indexOf("Files") >= 0; }
  document.addEventListener("dragover", function (event) {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    drop.classList.toggle("over", !request);
  });
  document.addEventListener("dragleave", function (event) { if (!event.relatedTarget) drop.classList.remove("over"); });
  document.addEventListener("drop", function (event) {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    drop.classList.remove("over");
    if (request) return;
    var folder = Array.from(event.dataTransfer.items || []).some(function (item) {
      var entry = item.webkitGetAsEntry && item.webkitGetAsEntry();
      return entry && entry.isDirectory;
    });
    if (folder || event.dataTransfer.files.length !== 1) {
      fail([folder ? "That is a folder: pack it into a zip or tar.gz first." : "One file at a time, please: several runs fit into one zip."], input);
      return;
    }
    input.files = event.dataTransfer.files;
    if (look()) submit.focus();
  });

  function progress(event) {
    if (!event.lengthComputable) return;
    bar.max = event.total;
    bar.value = event.loaded;
    var share = event.loaded / event.total;
    text.textContent = event.loaded < event.total
      ? size(event.loaded) + " of " + size(event.total) + ", " + Math.floor(100 * share) + " %"
      : "Sent; reading it ...";
    if (Math.floor(10 * share) > tenth || share === 1) { // ten remarks, not thousands
      tenth = Math.floor(10 * share);
      said.textContent = text.textContent;
    }
  }
  function busy(on) {
    sending.hidden = !on;
    submit.disabled = input.disabled = on;
  }
  function ended(messages) {
    request = null;
    busy(false);
    fail(messages, input);
  }
  function answered() {
    var answer = null;
    try { answer = JSON.parse(request.responseText); } catch (error) { /* an error page of the server, or of a proxy */ }
    if (answer && answer.location) {
      location.assign(answer.location);
    } else if (answer && answer.errors) {
      ended(Object.values(answer.errors).flat());
    } else if (request.status === 413) {
      ended(["The server refuses a file of this size."]);
    } else if (request.status === 403 || request.status === 200) {
      ended(["You are no longer signed in, or signed in from another window: reload the page."]);
    } else {
      ended(["The server answered with an error (" + request.status + "). Nothing was imported; try again."]);
    }
  }
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    if (request) return;
    if (!look()) {
      if (!input.files[0]) fail(["Choose a file first."], input);
      return;
    }
    var data = new FormData(form); // before the fields are disabled
    request = new XMLHttpRequest();
    tenth = 0;
    bar.value = 0;
    text.textContent = said.textContent = "";
    request.upload.addEventListener("progress", progress);
    request.addEventListener("load", answered);
    request.addEventListener("error", function () { ended(["The connection broke off. Nothing was imported; try again."]); });
    request.addEventListener("abort", function () { ended(["Stopped. Nothing was imported."]); });
    request.open("POST", form.getAttribute("action") || location.href);
    request.setRequestHeader("Accept", "application/json");
    busy(true);
    request.send(data);
  });
  document.getElementById("stop").addEventListener("click", function () { if (request) request.abort(); });
  window.addEventListener("pageshow", function (event) { if (event.persisted) { request = null; busy(false); } });
})();
