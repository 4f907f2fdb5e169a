// Numbers of a running crawl, as the server sends them.
const numbers = document.querySelector("[data-live]");
if (numbers && window.EventSource) {
  const source = new EventSource(numbers.dataset.live);
  source.onmessage = (event) => {
    for (const [name, value] of Object.entries(JSON.parse(event.data))) {
      const cell = numbers.querySelector(`[data-name="${CSS.escape(name)}"]`);
      if (cell && cell.textContent !== value) cell.textContent = value;
    }
  };
}
