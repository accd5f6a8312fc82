import type { Dispatcher } from 'undici';

/**
 * Tells when the first byte of a request is about to leave. A call that fails before has surely not reached anybody,
 * whatever the error is called; after it, nobody can tell how far it came.
 */
export const notingSent =
  (onSent: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, new SentNote(handler, onSent));

class SentNote implements Dispatcher.DispatchHandler {
  constructor(
    private readonly next: Dispatcher.DispatchHandler,
    private readonly onSent: () => void,
  ) {}

  onRequestStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
    this.onSent();
    this.next.onRequestStart?.(...args);
  }

  onRequestUpgrade(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestUpgrade']>>): void {
    this.next.onRequestUpgrade?.(...args);
  }

  onResponseStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.next.onResponseStart?.(...args);
  }

  onResponseData(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseData']>>): void {
    this.next.onResponseData?.(...args);
  }

  onResponseEnd(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.next.onResponseEnd?.(...args);
  }

  onResponseError(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>): void {
    this.next.onResponseError?.(...args);
  }
}
