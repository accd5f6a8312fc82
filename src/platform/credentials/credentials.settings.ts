import { Secret, Text } from '../config/variables';
import { SigningCertificate } from './signing-certificate';
import { type SettingsOf, defineSettings, needs } from '../config/settings';

class CredentialVariables {
  @Text(40_000) readonly C2PA_CERTIFICATE?: string;
  @Secret() @Text(10_000) readonly C2PA_KEY?: string;
}

const credentialProblems = ({ C2PA_CERTIFICATE: certificate, C2PA_KEY: key }: CredentialVariables) => {
  if (certificate === undefined || key === undefined) return [];
  try {
    SigningCertificate.read(certificate, key);
    return [];
  } catch {
    return [
      'C2PA_CERTIFICATE and C2PA_KEY must be PEM: a certificate with its chain, and the key of the certificate',
    ];
  }
};

export const credentialSettings = defineSettings({
  variables: CredentialVariables,
  problems: (env: CredentialVariables) => [
    ...needs(env, env.C2PA_CERTIFICATE !== undefined, 'with C2PA_CERTIFICATE', 'C2PA_KEY'),
    ...needs(env, env.C2PA_KEY !== undefined, 'with C2PA_KEY', 'C2PA_CERTIFICATE'),
    ...credentialProblems(env),
  ],
  read: (env: CredentialVariables) => ({
    /** The certificate that signs results. By default the service makes a development certificate. */
    contentCredentials: { certificate: env.C2PA_CERTIFICATE, key: env.C2PA_KEY },
  }),
});

export type CredentialSettings = SettingsOf<typeof credentialSettings>;
