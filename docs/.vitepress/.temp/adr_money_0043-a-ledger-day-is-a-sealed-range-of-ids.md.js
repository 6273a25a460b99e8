import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0043: A day of the ledger is a range of ids, sealed by the signing keys","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0043-a-ledger-day-is-a-sealed-range-of-ids.md","filePath":"adr/money/0043-a-ledger-day-is-a-sealed-range-of-ids.md"}');
const _sfc_main = { name: "adr/money/0043-a-ledger-day-is-a-sealed-range-of-ids.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0043-a-day-of-the-ledger-is-a-range-of-ids-sealed-by-the-signing-keys" tabindex="-1">0043: A day of the ledger is a range of ids, sealed by the signing keys <a class="header-anchor" href="#_0043-a-day-of-the-ledger-is-a-range-of-ids-sealed-by-the-signing-keys" aria-label="Permalink to &quot;0043: A day of the ledger is a range of ids, sealed by the signing keys&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Each day of entries gets a digest, chained and sealed, that the check of the ledger compares. The time of an entry is the start of its database transaction, which may commit hours later. A hash over a large ledger must not take memory or keep a statement running for minutes. A seal must verify after keys were rotated. One job must make it, once.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>A transaction belongs to the day in which its id was made. Ids come from the database&#39;s clock at the moment of posting, and every movement locks a row first, so its database transaction has a number by then. A day gets no more ids once all database transactions with numbers from before its end have ended, which a snapshot shows exactly. Days are ranges of the primary key, without another index on the busiest tables. The hash is computed line by line, so it can be read in parts. The seal is a signature by the key that signs evidence, not an HMAC: it verifies with public data, and rotating either kind of key does not affect it. The job is a loop of the worker under an advisory lock, like the roll-up: it needs nothing from the engine, and must work while the engine is unavailable.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A movement that begins before midnight and posts after it belongs to the new day, although <code>created_at</code> has the old one. An open database transaction anywhere in the server delays a seal. Owners of the tables can still remove the newest digests and have days sealed again; copies elsewhere reveal it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0043-a-ledger-day-is-a-sealed-range-of-ids.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0043ALedgerDayIsASealedRangeOfIds = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0043ALedgerDayIsASealedRangeOfIds as default
};
