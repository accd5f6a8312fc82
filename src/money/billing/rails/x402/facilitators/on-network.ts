import { type X402Network, originOf, originsOf } from '#money/networks/networks';

type Headers = Readonly<Record<string, string>>;

/**
 * The settings for one network. Values that may change while the service runs are read again at each use. The headers
 * of a facilitator contain its secret. Headers without an origin go only to the facilitator of the first network that
 * has one.
 */
export const onNetwork = <
  T extends {
    readonly networks: readonly X402Network[];
    readonly facilitatorHeaders: Headers;
    readonly facilitatorHeadersByOrigin: Readonly<Record<string, Headers>>;
  },
>(
  x402: T,
  network: X402Network,
): T => {
  const origin = originOf(network.facilitatorUrl);
  const isFirst = origin === originsOf(x402.networks)[0];
  const own = {
    ...network,
    get facilitatorHeaders(): Headers {
      const named = origin === undefined ? undefined : x402.facilitatorHeadersByOrigin[origin];
      return named ?? (isFirst ? x402.facilitatorHeaders : {});
    },
  };
  return Object.freeze(Object.create(x402, Object.getOwnPropertyDescriptors(own))) as T;
};
