import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0203: Stored answers and tasks count against a quota of their account","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/calls/0203-stored-answers-count-against-a-quota.md","filePath":"adr/calls/0203-stored-answers-count-against-a-quota.md"}');
const _sfc_main = { name: "adr/calls/0203-stored-answers-count-against-a-quota.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0203-stored-answers-and-tasks-count-against-a-quota-of-their-account" tabindex="-1">0203: Stored answers and tasks count against a quota of their account <a class="header-anchor" href="#_0203-stored-answers-and-tasks-count-against-a-quota-of-their-account" aria-label="Permalink to &quot;0203: Stored answers and tasks count against a quota of their account&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>The answer of a call with an idempotency key is stored for a day, a task with its input and message too, and the body of a delivery until it ends. An account without credits could store 9.7 MB a call and 16.6 MB a task, 6 to 10 GB a minute.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>stored_bytes</code> counts what is stored for an account, by the hour in which it expires, and free and paid calls apart. The function that settles a call counts its answer, and only if there is an answer to store: a call without a key has no further statement.</li><li>From <code>MAX_STORED_BYTES_FREE</code> (64 MiB) or <code>MAX_STORED_BYTES_PAID</code> (16 GiB) on, the answer of a call is returned and not kept. A repeated key gets <code>output: null, output_expired: true</code>, as after a day. A task is refused with 429 <code>rate_limited</code> before it is accepted; the answer of an accepted task is always kept. The body of a delivery is not kept; it is made again for each attempt.</li><li>Nothing is subtracted when a body is deleted before it expires, as answers of agents that retain nothing are. Subtracting would lock rows of many accounts in the sweeps that delete.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>Parallel calls can exceed the quota by what is in flight. A paid call costs at least a credit, so 16 GiB cost at least 16 dollars. A task whose agent retains data longer than a day is counted for its first day only.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/calls/0203-stored-answers-count-against-a-quota.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0203StoredAnswersCountAgainstAQuota = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0203StoredAnswersCountAgainstAQuota as default
};
