import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0013: Rate limits are counted in memory and shared twice a second","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/accounts/0013-rate-limits-are-counted-in-memory.md","filePath":"adr/accounts/0013-rate-limits-are-counted-in-memory.md"}');
const _sfc_main = { name: "adr/accounts/0013-rate-limits-are-counted-in-memory.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0013-rate-limits-are-counted-in-memory-and-shared-twice-a-second" tabindex="-1">0013: Rate limits are counted in memory and shared twice a second <a class="header-anchor" href="#_0013-rate-limits-are-counted-in-memory-and-shared-twice-a-second" aria-label="Permalink to &quot;0013: Rate limits are counted in memory and shared twice a second&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Limits apply to an account or address over all API processes, and every answer shows the remaining requests. A statement for each request would cost more than many requests do, and a limiter that needs Postgres fails with it.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>Every process counts in memory. Twice a second it adds its counts to an unlogged table in one statement, and reads the counts of the others (<code>src/services/accounts/rate-limits.ts</code>). Failed sign-ins are counted in Postgres at once, because each costs a password hash anyway, and attempts for the same account and address wait for each other. Addresses are counted by IPv4 address or IPv6 /64 network. Refused requests do not count. <code>/health</code> and <code>/readiness</code> are never refused.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A limit is exact within a process and has half a second of tolerance across processes. Without Postgres, each process counts alone. A crash of Postgres resets one minute of counts.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/accounts/0013-rate-limits-are-counted-in-memory.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0013RateLimitsAreCountedInMemory = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0013RateLimitsAreCountedInMemory as default
};
