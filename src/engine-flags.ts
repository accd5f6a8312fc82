import { setFlagsFromString } from 'node:v8';

/**
 * The options of V8 for every way of starting. `start.ts` has the same.
 *
 * The objects of a call should be freed soon after the call. Under load V8 finds many of them alive, because their
 * calls are not answered yet. It then allocates such objects in the old generation, where they stay until a full
 * collection.
 */
setFlagsFromString('--no-allocation-site-pretenuring');

/**
 * The old generation may double before a full collection. By itself V8 collects after a quarter of growth, every ten
 * seconds under load. Its threads then take the processor from the calls for a fifth of a second.
 */
setFlagsFromString('--heap-growing-percent=100');

/** One thread of V8 marks beside the calls. By itself V8 uses four, and a process with one processor then has a fifth of it. */
setFlagsFromString('--concurrent-marking-max-worker-num=1');
