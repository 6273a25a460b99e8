import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0003: The ledger is SQL functions over arrays, and hot balances are rolled up","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/money/0003-the-ledger-is-sql-functions.md","filePath":"adr/money/0003-the-ledger-is-sql-functions.md"}');
const _sfc_main = { name: "adr/money/0003-the-ledger-is-sql-functions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0003-the-ledger-is-sql-functions-over-arrays-and-hot-balances-are-rolled-up" tabindex="-1">0003: The ledger is SQL functions over arrays, and hot balances are rolled up <a class="header-anchor" href="#_0003-the-ledger-is-sql-functions-over-arrays-and-hot-balances-are-rolled-up" aria-label="Permalink to &quot;0003: The ledger is SQL functions over arrays, and hot balances are rolled up&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>A balance that is read, checked in code and written back is wrong under concurrency, and anyone with the service&#39;s connection could write an entry. Two kinds of accounts, <code>fees</code> and a popular developer&#39;s <code>payable</code>, get a credit from every call; a row lock on either would serialize all calls.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Every movement is one call of an SQL function (<code>migrations/functions/ledger</code>). The function locks all accounts that it may debit in id order, checks, inserts and updates balances. Functions take arrays and return one result for each item, so a batch needs no other code. They are <code>SECURITY DEFINER</code>; the application&#39;s role may execute them and read, nothing else. A business reference is unique, so a repetition changes nothing and reports that. Credits of hot accounts are entries without balances and a waiting row; a loop in the workers adds them up, and a debit locks and rolls up first. The busiest tables have few constraints, because Postgres prepares every CHECK again for each statement. A trigger asserts the properties of an account that never change, and <code>npm run ledger:check</code> proves the rest.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Two buyers never wait for each other. The rules of money are in PL/pgSQL, tested through TypeScript. The running balance of a hot account is computed on read. Details: <a href="./../../ledger">docs/ledger.md</a>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/money/0003-the-ledger-is-sql-functions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0003TheLedgerIsSqlFunctions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0003TheLedgerIsSqlFunctions as default
};
