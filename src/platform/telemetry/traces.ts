type Around = <T>(what: string, chargeId: string, work: () => Promise<T>) => Promise<T>;

const untraced: Around = (_what, _chargeId, work) => work();
let around = untraced;

/** Work for a charge that was made by an earlier call, perhaps in another process: it stands in that call's trace. */
export const inTraceOf: Around = (what, chargeId, work) => around(what, chargeId, work);

/** Undefined: nobody traces any more. Everything else about traces is loaded only where an endpoint for them is set. */
export const traceBy = (next: Around | undefined): void => {
  around = next ?? untraced;
};
