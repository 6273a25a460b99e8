/* Draws the API reference from the document that the service serves. A service with PUBLIC_READS=false needs a session. */
const place = globalThis.document.getElementById('reference');
const font = 'system-ui, sans-serif';

function show(text) {
  const line = globalThis.document.createElement('p');
  line.className = 'waiting';
  line.textContent = text;
  place.replaceChildren(line);
}

async function draw() {
  const response = await globalThis.fetch('/openapi.json');
  const description = await response.json();
  if (!response.ok) {
    const reason = description.error?.message ?? `The service answered ${response.status}.`;
    return show(`The description of the API cannot be read: ${reason}`);
  }
  await globalThis.Redoc.init(
    description,
    {
      disableSearch: false,
      hideDownloadButton: false,
      expandResponses: '200,201',
      nativeScrollbars: true,
      jsonSampleExpandLevel: 3,
      theme: { typography: { fontFamily: font, headings: { fontFamily: font } } },
    },
    place,
  );
}

draw().catch((error) => show(`The description of the API cannot be shown: ${error.message}`));
