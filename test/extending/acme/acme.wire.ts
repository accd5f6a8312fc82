import { parseUsd } from '../../../src/kernel/money';
import { fieldsOf, textOf } from '../../../src/providers/http/answer-status';
import { ProviderFault } from '../../../src/providers/http/provider-fault';
import type { MediaMode } from '../../../src/providers/media-mode';
import type { MediaRequest, MediaSize, OperationStatus } from '../../../src/providers/media-provider';

export const makesSize = (_mode: MediaMode, { aspectRatio = '1:1', ...further }: MediaSize): boolean =>
  aspectRatio === '1:1' && further.resolution === undefined && further.imageSize === undefined;

export const toWork = (request: MediaRequest): object => {
  // The next route gets the request, because another size than the requested one must not be sold.
  if (!makesSize(request.mode, request)) throw new ProviderFault('not-served', 'it paints squares only');
  return { model: request.model, prompt: request.prompt, client_id: request.ourId };
};

export const toProviderRef = (value: unknown): string => {
  const id = textOf(fieldsOf(value)['id']);
  if (id === undefined || !/^[a-z0-9]{1,40}$/.test(id)) {
    throw new ProviderFault('unknown', 'its answer has no id');
  }
  return id;
};

/** An unknown status means "still running", because only an explicit failure may cause a refund. */
export const toStatus = (value: unknown): OperationStatus => {
  const { state, url, cost_usd: usd } = fieldsOf(value);
  const address = textOf(url);
  if (state === 'done' && address !== undefined) {
    const cost = parseUsd(textOf(usd) ?? '');
    return { state: 'done', result: { url: address }, ...(cost === undefined ? {} : { cost }) };
  }
  return state === 'failed' ? { state: 'failed', reason: 'it says so' } : { state: 'running' };
};
