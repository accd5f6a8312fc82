import { isIP } from 'node:net';

import { listOf } from '../config/setting';
import { Text, Url, Whole } from '../config/variables';
import { type SettingsOf, defineSettings } from '../config/settings';

class HttpVariables {
  @Whole(0, 65_535) readonly PORT: number = 3000;
  @Text(255) readonly HOST: string = '127.0.0.1';
  @Url() readonly PUBLIC_URL?: string;
  @Text(255) readonly SERVICE_DOMAIN?: string;
  @Text(4_000) readonly TRUSTED_PROXIES?: string;
}

const CIDR = /^(.+?)(?:\/(\d{1,3}))?$/;

const isNetwork = (text: string): boolean => {
  const [, address = '', bits] = CIDR.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && (bits === undefined || Number(bits) <= (family === 4 ? 32 : 128));
};

export const httpSettings = defineSettings({
  variables: HttpVariables,
  problems: (env: HttpVariables) =>
    listOf(env.TRUSTED_PROXIES)
      .filter((item) => !isNetwork(item))
      .map(
        (item) => `TRUSTED_PROXIES must list addresses or networks such as 10.0.0.0/8; ${item} is neither`,
      ),
  read: (env: HttpVariables) => {
    const publicUrl = (env.PUBLIC_URL ?? `http://127.0.0.1:${env.PORT}`).replace(/\/+$/, '');
    return {
      http: {
        port: env.PORT,
        host: env.HOST,
        publicUrl,
        trustedProxies: listOf(env.TRUSTED_PROXIES),
      },
      /** The domain of sign-in messages. It never comes from a request. */
      serviceDomain: env.SERVICE_DOMAIN ?? new URL(publicUrl).host,
    };
  },
});

/** The settings of `http` that a feature adds. */
interface FromFeatures {
  readonly http: {
    /** The longest time for which a call waits for its result. */
    readonly syncSeconds: number;
  };
}

export type HttpSettings = SettingsOf<typeof httpSettings> & FromFeatures;
