import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"0234: Every worker thread is a row of one mechanism","description":"","frontmatter":{"search":false},"headers":[],"relativePath":"adr/operations/0234-every-worker-thread-is-a-row-of-one-mechanism.md","filePath":"adr/operations/0234-every-worker-thread-is-a-row-of-one-mechanism.md"}');
const _sfc_main = { name: "adr/operations/0234-every-worker-thread-is-a-row-of-one-mechanism.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_0234-every-worker-thread-is-a-row-of-one-mechanism" tabindex="-1">0234: Every worker thread is a row of one mechanism <a class="header-anchor" href="#_0234-every-worker-thread-is-a-row-of-one-mechanism" aria-label="Permalink to &quot;0234: Every worker thread is a row of one mechanism&quot;">​</a></h1><p>Status: accepted.</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Nine kinds of worker threads had five implementations of the same: start a thread, send it a job, notice that it ended or takes too long, let tenants take turns, close. They differed without a reason: some threads had no deadline, some no limit of memory, some deadlines were in elapsed time, and a crash was retried, refused or reported by code that had to be read to know which.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><ul><li><code>createTenantThreads</code> (<code>src/kit/threads/tenant-threads.ts</code>) is the one place that starts worker threads, and <code>test/arch/threads.test.ts</code> checks that. Its <code>serveJobs</code> is the worker&#39;s side.</li><li>A kind is a row, a <code>ThreadKind</code>: script, number of threads, memory, processor time of a job, how long tenants wait, what is done in the process, and <code>lost</code>: what it means that a job got no reply because its thread ended or used up its time or memory.</li><li>The tenant with the least recent time goes first, in every kind. A thread that interrupts its own work, such as the one that counts tokens, gets all its jobs and takes turns itself.</li><li>A step of a job can have a limit of its own (<code>within</code>), such as the schema of an agent in a job that is otherwise our own code.</li><li>What a worker throws is a fault of the service and rejects; it is never mistaken for a lost job.</li></ul><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><p>A new kind is a worker of one line and a row. <a href="./../../internals/queues#kinds-of-threads">Kinds of threads</a> lists the rows.</p><p>A bundle is scanned in a process, not a thread (<a href="./../verification/0184-a-bundle-is-read-in-a-process-of-its-own">ADR 0184</a>): V8 can end the whole process, which no mechanism for threads contains.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("adr/operations/0234-every-worker-thread-is-a-row-of-one-mechanism.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0234EveryWorkerThreadIsARowOfOneMechanism = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0234EveryWorkerThreadIsARowOfOneMechanism as default
};
