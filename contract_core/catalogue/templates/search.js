"use strict";
(() => {
  const MOST = 50;
  const WEIGHTS = { contract: 0, field: 1, consumer: 2, owner: 2, unit: 3 };
  const entries = JSON.parse(document.getElementById("entries").textContent);
  const query = document.getElementById("query");
  const form = query.form;
  const results = document.getElementById("results");
  const list = results.querySelector("ol");
  const status = document.getElementById("status");
  const none = document.getElementById("none");
  const rows = [...document.querySelectorAll("#contract-table tbody tr")];
  const selects = [...form.querySelectorAll("select")];
  const names = rows.map((row) => row.querySelector("a.name").textContent);
  const folded = entries.map((entry) => [fold(entry.label), fold(entry.text)]);

  function fold(text) {
    return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  }

  function element(name, text, kind) {
    const made = document.createElement(name);
    if (text) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  /* The better an entry fits, the lower the number; -1 where a word is nowhere in it. */
  function score(place, words) {
    const [label, text] = folded[place];
    let sum = WEIGHTS[entries[place].kind];
    for (const word of words) {
      const at = label.indexOf(word);
      if (label === word) continue;
      if (at === 0) sum += 2;
      else if (at > 0) sum += /[^\p{L}\p{N}]/u.test(label[at - 1]) ? 4 : 6;
      else if (text.includes(word)) sum += 20;
      else return -1;
    }
    return sum;
  }

  /* Marks the words in a text, where folding has not moved its letters. */
  function marked(text, words) {
    const made = document.createElement("span");
    const plain = text.toLowerCase();
    let from = 0;
    while (from < text.length) {
      let at = -1;
      let length = 0;
      for (const word of words) {
        const found = plain.length === text.length ? plain.indexOf(word, from) : -1;
        if (found >= 0 && (at < 0 || found < at)) [at, length] = [found, word.length];
      }
      if (at < 0) break;
      made.append(text.slice(from, at), element("mark", text.slice(at, at + length)));
      from = at + length;
    }
    made.append(text.slice(from));
    return made;
  }

  function excerpt(text, words) {
    const plain = text.toLowerCase();
    const at = Math.max(0, Math.min(...words.map((word) => plain.indexOf(word)).filter((found) => found >= 0), plain.length));
    const from = at === plain.length ? 0 : Math.max(0, at - 40);
    const cut = text.slice(from, from + 160).trim();
    return (from > 0 ? "…" : "") + cut + (from + 160 < text.length ? "…" : "");
  }

  function item(entry, words, shown) {
    const line = element("li");
    const link = element("a");
    link.href = entry.page;
    link.append(element("span", entry.kind, "badge"), " ", marked(entry.label, words));
    if (entry.kind === "field" || entry.kind === "unit") link.append(element("span", ` in ${names[entry.contracts[0]]}`, "muted"));
    line.append(link);
    const told = element("p", "", "muted");
    if (entry.text) told.append(marked(excerpt(entry.text, words), words));
    else told.textContent = shown.map((place) => names[place]).slice(0, 5).join(", ");
    line.append(told);
    return line;
  }

  function allowed() {
    const wanted = selects.map((select) => [select.dataset.filter, select.value]).filter((pair) => pair[1]);
    return new Set(rows.flatMap((row, place) => (wanted.every(([name, value]) => row.dataset[name] === value.slice(1)) ? [place] : [])));
  }

  function remember() {
    const kept = new URLSearchParams();
    if (query.value) kept.set("q", query.value);
    for (const select of selects) if (select.value) kept.set(select.dataset.filter, select.value.slice(1));
    const hash = kept.toString();
    try {
      history.replaceState(null, "", hash ? `#${hash}` : location.pathname.split("/").pop() || ".");
    } catch { /* some browsers refuse it for files, and nothing depends on it */ }
  }

  function recall() {
    const kept = new URLSearchParams(location.hash.slice(1));
    query.value = kept.get("q") || "";
    for (const select of selects) {
      const value = `=${kept.get(select.dataset.filter)}`;
      select.value = [...select.options].some((option) => option.value === value) ? value : "";
    }
  }

  function update() {
    const words = fold(query.value).split(/\s+/).filter(Boolean);
    const places = allowed();
    let found = [];
    if (words.length) {
      found = entries
        .map((entry, place) => ({ entry, place, shown: entry.contracts.filter((number) => places.has(number)) }))
        .filter((hit) => hit.shown.length)
        .map((hit) => ({ ...hit, score: score(hit.place, words) }))
        .filter((hit) => hit.score >= 0)
        .sort((one, other) => one.score - other.score || one.place - other.place);
    }
    const fitting = words.length ? new Set(found.flatMap((hit) => hit.shown)) : places;
    rows.forEach((row, place) => { row.hidden = !fitting.has(place); });
    list.replaceChildren(...found.slice(0, MOST).map((hit) => item(hit.entry, words, hit.shown)));
    results.hidden = !found.length;
    if (none) none.hidden = fitting.size > 0 || !rows.length;
    tell(words.length > 0, found.length, fitting.size);
  }

  function tell(isSearch, count, contracts) {
    const inAll = `${contracts} of ${rows.length} contracts`;
    const more = count > MOST ? `; the best ${MOST} are shown` : "";
    if (isSearch) status.textContent = `${count} ${count === 1 ? "result" : "results"} in ${inAll}${more}`;
    else status.textContent = contracts === rows.length ? "" : inAll;
  }

  function changed() {
    update();
    remember();
  }

  for (const select of selects) {
    const values = [...new Set(rows.map((row) => row.dataset[select.dataset.filter]))].filter(Boolean).sort();
    for (const value of values) {
      const option = element("option", value);
      option.value = `=${value}`;
      select.append(option);
    }
    select.addEventListener("change", changed);
  }
  query.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(changed));
  window.addEventListener("hashchange", () => { recall(); update(); });
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      query.focus();
    } else if (event.key === "Escape" && (document.activeElement === query || at >= 0)) {
      query.value = "";
      query.focus();
      changed();
    } else if (event.key === "ArrowDown" && links.length && (document.activeElement === query || at >= 0)) {
      event.preventDefault();
      links[Math.min(at + 1, links.length - 1)].focus();
    } else if (event.key === "ArrowUp" && at >= 0) {
      event.preventDefault();
      (links[at - 1] || query).focus();
    }
  });
  for (const hidden of document.querySelectorAll(".needs-script")) hidden.hidden = false;
  recall();
  update();
})();
