// Numbers of a running crawl, as the server sends them, and the part that says what it is doing.
const numbers = document.querySelector("[data-live]");
const part = document.querySelector("[data-part]");
let shown = 0;
async function refresh(moment) {
  if (!part || moment === shown) return;
  shown = moment;
  const answer = await fetch(part.dataset.part, { headers: { accept: "text/html" } });
  if (answer.ok && !answer.redirected) part.innerHTML = await answer.text();
}
if (numbers && window.EventSource) {
  const source = new EventSource(numbers.dataset.live);
  source.onmessage = (event) => {
    const told = JSON.parse(event.data);
    for (const [name, value] of Object.entries(told.numbers)) {
      const cell = numbers.querySelector(`[data-name="${CSS.escape(name)}"]`);
      if (cell && cell.textContent !== value) cell.textContent = value;
    }
    refresh(told.now);
  };
}
const waiting = document.querySelector("[data-reload]");
if (waiting) setTimeout(() => location.reload(), 1000 * Number(waiting.dataset.reload));
