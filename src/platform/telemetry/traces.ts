/** Wraps work in spans. */
export interface Traces {
  work<T>(what: string, callId: string, work: () => Promise<T>): Promise<T>;
  statement<T>(text: string, send: () => Promise<T>): Promise<T>;
  note(facts: TraceFacts): void;
}

/** Facts for operators. They never contain texts of callers. */
type TraceFacts = Readonly<Record<string, string | number | readonly string[]>>;

const untraced: Traces = {
  work: (_what, _callId, work) => work(),
  statement: (_text, send) => send(),
  note: () => undefined,
};

let traces = untraced;

/**
 * Runs work for an earlier call, perhaps of another process. The span of the work is part of the trace of that call.
 */
export const inTraceOf: Traces['work'] = (what, callId, work) => traces.work(what, callId, work);

/** Sends a statement. Its span has the statement's name, but neither its text nor its values. */
export const tracedStatement: Traces['statement'] = (text, send) => traces.statement(text, send);

/** Adds facts to the running span. */
export const noteInTrace: Traces['note'] = (facts) => traces.note(facts);

/** Undefined disables tracing. OpenTelemetry's SDK is loaded only if an endpoint for traces is set. */
export const traceBy = (next: Traces | undefined): void => {
  traces = next ?? untraced;
};
