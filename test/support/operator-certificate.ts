import { randomBytes, webcrypto } from 'node:crypto';

import * as x509 from '@peculiar/x509';

const { subtle } = webcrypto;
const VALID = { notBefore: new Date('2026-01-01'), notAfter: new Date('2040-01-01') };
const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

const KINDS: Readonly<Record<string, object>> = {
  'P-256': EC,
  'P-384': { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' },
  Ed25519: { name: 'Ed25519' },
  'RSA-PSS': {
    name: 'RSA-PSS',
    modulusLength: 2_048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
};

const keysOf = (kind: object) =>
  subtle.generateKey(kind as never, true, ['sign', 'verify']) as never as Promise<webcrypto.CryptoKeyPair>;

/** A certificate authority from which an operator might buy. */
export const makeAuthority = async () => {
  x509.cryptoProvider.set(webcrypto as never);
  const keys = await keysOf(EC);
  const { KeyUsageFlags: usage } = x509;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...VALID,
    serialNumber: '01',
    name: 'CN=Some Authority, O=Some Authority',
    signingAlgorithm: EC,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(usage.keyCertSign | usage.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { keys, certificate };
};

/** The settings of an operator: a certificate with its chain, and its key. */
export const operatorCertificate = async (
  name: string,
  kind = 'P-256',
  authority?: Awaited<ReturnType<typeof makeAuthority>>,
) => {
  const { keys: issuer, certificate: root } = authority ?? (await makeAuthority());
  const keys = await keysOf(KINDS[kind]!);
  const leaf = await x509.X509CertificateGenerator.create({
    ...VALID,
    serialNumber: `1${randomBytes(8).toString('hex').slice(1)}`,
    subject: `CN=${name}, O=${name}`,
    issuer: root.subject,
    publicKey: keys.publicKey,
    signingKey: issuer.privateKey,
    signingAlgorithm: EC,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.4']),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  const pkcs8 = Buffer.from(await subtle.exportKey('pkcs8', keys.privateKey as never)).toString('base64');
  const certificate = [leaf, root]
    .map((one) => one.toString('pem'))
    .join('\n')
    .replaceAll('\n', String.raw`\n`);
  return { certificate, key: `-----BEGIN PRIVATE KEY-----\\n${pkcs8}\\n-----END PRIVATE KEY-----` };
};
