/** The page on which the payer of a top-up pays. */

const button = (name, text) => `<p><button name="${name}" value="1">${text}</button></p>`;

export function payPage({
  amount_total: minor,
  currency,
  setup_future_usage: usage,
  status,
  success_url: back,
}) {
  const later = usage === null ? '' : button('refuses', 'Pay, and refuse later payments with this card');
  const form = status === 'open' ? button('pays', 'Pay') + later : '<p>It is paid.</p>';
  return `<!doctype html>
<html lang="en">
<title>Sandbox of payments</title>
<h1>Pay ${(minor / 100).toFixed(2)} ${currency.toUpperCase()}</h1>
<p>No money moves: this page stands for that of a payment provider.</p>
<form method="post">${form}</form>
<p><a href="${back}">Back to the marketplace</a></p>
</html>`;
}
