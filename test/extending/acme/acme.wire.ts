import { parseUsd } from '#kernel/money';
import { fieldsOf, textOf } from '#models/providers/http/json-fields';
import { ProviderFault } from '#models/providers/http/provider-fault';
import type { MediaMode } from '#models/providers/media-mode';
import type { MediaRequest, MediaSize, OperationStatus } from '#models/providers/media-provider';

/** Acme's name of our tiers, for pictures that it enlarges. */
const FACTORS: Readonly<Record<string, number>> = { '2K': 2, '4K': 4 };

export const makesSize = (
  mode: MediaMode,
  { aspectRatio = '1:1', resolution, imageSize }: MediaSize,
): boolean =>
  mode === 'i2i'
    ? (resolution ?? '2K') in FACTORS
    : aspectRatio === '1:1' && resolution === undefined && imageSize === undefined;

export const toWork = (request: MediaRequest, image?: string): object => {
  const { model, mode, prompt, resolution = '2K', ourId } = request;
  // The next route gets the request, because another size than the requested one must not be sold.
  if (!makesSize(mode, request)) throw new ProviderFault('not-served', 'it does not make this size');
  const what = mode === 'i2i' ? { image, factor: FACTORS[resolution] } : { prompt };
  return { model, ...what, client_id: ourId };
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
