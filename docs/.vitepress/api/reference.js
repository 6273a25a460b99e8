/* Draws the API reference from the document that the service serves. It needs a session, unless PUBLIC_READS is on. */
const place = globalThis.document.getElementById('reference');
const font = 'system-ui, sans-serif';

function show(...parts) {
  const line = globalThis.document.createElement('p');
  line.className = 'waiting';
  line.append(...parts);
  place.replaceChildren(line);
}

function loginLink() {
  const link = globalThis.document.createElement('a');
  link.href = '/console/login';
  link.textContent = 'Log in';
  return link;
}

async function draw() {
  const response = await globalThis.fetch('/openapi.json');
  if (response.status === 401)
    return show(loginLink(), ' to read the description of the API, then load this page again.');
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
