"use strict";
(() => {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      const label = button.textContent;
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(source);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = label; }, 1500);
    });
  }
  const query = document.getElementById("field-query");
  if (query) {
    const rows = [...document.querySelectorAll("#field-table tbody tr")].map((row) => [row, row.textContent.toLowerCase()]);
    const status = document.getElementById("field-status");
    query.addEventListener("input", () => {
      const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      for (const [row, text] of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        count += row.hidden ? 0 : 1;
      }
      status.textContent = words.length ? `${count} of ${rows.length}` : "";
    });
  }
  for (const hidden of document.querySelectorAll(".needs-script")) hidden.hidden = false;
})();
