import { BOOK_DAYS_MAX, bookAgeDays } from '#models/catalog/book/price-book';
import { isLoopback } from '#kernel/loopback';
import { Catalog } from '#models/catalog/catalog';
import { unknownSettingsOfProcess } from '../../unknown-settings';
import { SigningCertificate } from '#platform/credentials/signing-certificate';
import { isSandboxOn } from '#models/providers/vendors';
import { isPlay, missingSecrets } from './missing-secrets';
import { weaknessOf } from './secret-strength';
import { soldSandbox } from './sold-sandbox';
import { type Checks, bad, ok, skipped, warning } from './findings';

const NEW_ONE = 'Use the output of `openssl rand -hex 32`.';
const DAY_MS = 86_400_000;
const RENEW_DAYS = 30;
const EVERYBODY = /^(0\.0\.0\.0|::)\/0$/;

/** Checks that need only the settings. */
export const SETTING_CHECKS: Checks = {
  'setting names': () => {
    const unknown = unknownSettingsOfProcess();
    return Promise.resolve(
      unknown.length === 0
        ? ok('this version knows all of them')
        : warning(unknown.join('; '), 'Correct or remove each. A setting with a wrong name has no effect.'),
    );
  },

  secrets: (settings) => {
    const { signingSecret, signingSecretPrevious, metricsToken, admins } = settings;
    const named = [
      ['SIGNING_SECRET', signingSecret],
      ['SIGNING_SECRET_PREVIOUS', signingSecretPrevious],
      ['METRICS_TOKEN', metricsToken],
      ...admins.map(({ name, token }) => [`the token of the operator ${name}`, token]),
    ] as readonly (readonly [string, string | undefined])[];
    const weak = named.flatMap(([name, secret]) => {
      const weakness = secret === undefined ? undefined : weaknessOf(secret);
      return weakness === undefined ? [] : [`${name} ${weakness}`];
    });
    if (weak.length > 0) return Promise.resolve(bad(weak.join('; '), NEW_ONE));
    const given = named.flatMap(([, secret]) => secret ?? []);
    if (new Set(given).size < given.length)
      return Promise.resolve(bad('one secret serves two purposes', `Make one for each. ${NEW_ONE}`));
    if (signingSecretPrevious !== undefined)
      return Promise.resolve(
        warning('the signing secret is changing', 'Remove SIGNING_SECRET_PREVIOUS after the change.'),
      );
    const missing = missingSecrets(settings);
    if (missing.length > 0) return Promise.resolve(warning(missing.join('; '), `Set each. ${NEW_ONE}`));
    return Promise.resolve(
      given.length === 0 ? skipped('none is set') : ok(`${given.length}, hard to guess`),
    );
  },

  money: (settings) => {
    if (isPlay(settings)) return Promise.resolve(ok('sandboxes: no real money'));
    const sold = soldSandbox(settings);
    if (sold.length > 0)
      return Promise.resolve(
        warning(sold.join('; '), 'Set the key of a vendor, such as ANTHROPIC_API_KEY or OPENAI_API_KEY.'),
      );
    return Promise.resolve(
      settings.allowSandboxMix
        ? warning(
            'real parts beside sandbox ones (ALLOW_SANDBOX_MIX)',
            'Set it to false unless you want this.',
          )
        : ok('real'),
    );
  },

  credentials: (settings) => {
    const { certificate, key } = settings.contentCredentials;
    if (certificate === undefined || key === undefined)
      return Promise.resolve(
        isLoopback(settings.http.publicUrl)
          ? ok('a development certificate signs results')
          : warning(
              'a self-made development certificate signs results',
              'Buy a certificate for C2PA, and set C2PA_CERTIFICATE and C2PA_KEY.',
            ),
      );
    const { ends } = SigningCertificate.read(certificate, key);
    const days = Math.floor((ends.getTime() - Date.now()) / DAY_MS);
    if (days < 0) return Promise.resolve(bad('C2PA_CERTIFICATE has ended', 'Renew it.'));
    return Promise.resolve(
      days < RENEW_DAYS
        ? warning(`C2PA_CERTIFICATE ends in ${days} days`, 'Renew it.')
        : ok(`C2PA_CERTIFICATE is good for ${days} days`),
    );
  },

  catalog: (settings) => {
    const { media, text, unmade } = new Catalog(settings);
    return Promise.resolve(
      unmade.length === 0
        ? ok(`${media.size} models for images and videos, ${text.size} for text`)
        : warning(
            `offered, but no provider makes them: ${unmade.join(', ')}`,
            'Correct CATALOG_FILE, or switch their provider on.',
          ),
    );
  },

  'book of prices': (settings) => {
    if (isSandboxOn(settings)) return Promise.resolve(skipped('no real models are sold'));
    const days = bookAgeDays(Date.now());
    return Promise.resolve(
      days > BOOK_DAYS_MAX
        ? warning(`${days} days old, so some makers' prices may have changed`, 'Upgrade to a newer release.')
        : ok(`${days} days old`),
    );
  },

  proxies: (settings) => {
    const { trustedProxies, publicUrl } = settings.http;
    if (trustedProxies.some((one) => EVERYBODY.test(one)))
      return Promise.resolve(
        bad(
          'TRUSTED_PROXIES trusts everybody, so callers can forge their address',
          'Name your own proxies only.',
        ),
      );
    if (trustedProxies.length > 0) return Promise.resolve(ok(trustedProxies.join(', ')));
    if (isLoopback(publicUrl)) return Promise.resolve(ok('none, on this machine'));
    return Promise.resolve(
      publicUrl.startsWith('https:')
        ? bad(
            'PUBLIC_URL is https, so a proxy is in front, and none is trusted: all callers share one limit',
            'Name it in TRUSTED_PROXIES.',
          )
        : bad('PUBLIC_URL is not https: keys travel where anybody can read them', 'Put a proxy in front.'),
    );
  },
};
