import {
  type KeyObject,
  X509Certificate,
  createHash,
  createPrivateKey,
  createPublicKey,
  constants,
  sign,
  webcrypto,
} from 'node:crypto';

import { ed25519Key } from '../signatures/ed25519';

/** The algorithms of C2PA by the library's names, with their COSE numbers (RFC 9053). */
const COSE_ALGORITHMS = { es256: -7, es384: -35, es512: -36, ps256: -37, ed25519: -8 } as const;
type Algorithm = keyof typeof COSE_ALGORITHMS;

const EC_ALGORITHMS: Readonly<Record<string, Algorithm>> = {
  prime256v1: 'es256',
  secp384r1: 'es384',
  secp521r1: 'es512',
};
const HASHES = { es256: 'sha256', es384: 'sha384', es512: 'sha512', ps256: 'sha256', ed25519: undefined };

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** A setting is one line, in which `\n` separates the lines of the PEM. */
const unfolded = (pem: string): string => pem.replaceAll(String.raw`\n`, '\n');

const algorithmOf = (key: KeyObject): Algorithm | undefined => {
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return 'ed25519';
    case 'ec':
      return EC_ALGORITHMS[key.asymmetricKeyDetails?.namedCurve ?? ''];
    case 'rsa':
    case 'rsa-pss':
      return 'ps256';
    default:
      return undefined;
  }
};

/** The certificate and the key that sign content credentials. */
export class SigningCertificate {
  private constructor(
    private readonly key: KeyObject,
    /** The certificate of the key, followed by its issuers. */
    readonly chain: readonly X509Certificate[],
    readonly algorithm: Algorithm,
  ) {}

  get coseAlgorithm(): number {
    return COSE_ALGORITHMS[this.algorithm];
  }

  /** The serial number in decimal, as the library reports it. */
  get serial(): string {
    return BigInt(`0x${this.chain[0]!.serialNumber}`).toString();
  }

  get ends(): Date {
    return new Date(this.chain[0]!.validTo);
  }

  /** The last certificate of the chain. */
  get authority(): X509Certificate {
    return this.chain.at(-1)!;
  }

  /** The raw signature, as COSE requires it. */
  sign(bytes: Uint8Array): Buffer {
    return sign(HASHES[this.algorithm], bytes, {
      key: this.key,
      dsaEncoding: 'ieee-p1363',
      ...(this.algorithm === 'ps256'
        ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
        : {}),
    });
  }

  /** Throws an error with a reason that contains no part of the key. */
  static read(certificates: string, privateKey: string): SigningCertificate {
    const chain = (unfolded(certificates).match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem));
    const key = createPrivateKey(unfolded(privateKey));
    const algorithm = algorithmOf(key);
    if (algorithm === undefined) throw new Error('The key is of no type that C2PA knows.');
    if (chain.length < 2) throw new Error('The certificate of the issuer is missing.');
    if (chain[0]?.checkPrivateKey(key) !== true)
      throw new Error('The key is not the one of the certificate.');
    return new SigningCertificate(key, chain, algorithm);
  }

  /**
   * A certificate that proves only that this deployment signed. Each process derives the same certificate from a
   * secret, so no process stores it.
   */
  static async forDevelopment(seed: Buffer): Promise<SigningCertificate> {
    // Only a deployment without a certificate needs this package.
    const x509 = await import('@peculiar/x509');
    x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
    const authority = await keysOf(createHash('sha256').update('authority').update(seed).digest());
    const own = await keysOf(seed);
    const always = {
      notBefore: new Date('2026-01-01'),
      notAfter: new Date('2046-01-01'),
      signingAlgorithm: ED25519,
    };
    const { KeyUsageFlags: usage } = x509;
    const root = await x509.X509CertificateGenerator.createSelfSigned({
      ...always,
      serialNumber: '01',
      name: 'CN=Lamppost development authority, O=development',
      keys: authority,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(usage.keyCertSign | usage.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(authority.publicKey),
      ],
    });
    const leaf = await x509.X509CertificateGenerator.create({
      ...always,
      serialNumber: createHash('sha256').update(seed).digest('hex').slice(0, 16).replace(/^./, '1'),
      subject: 'CN=Lamppost development, O=development',
      issuer: root.subject,
      publicKey: own.publicKey,
      signingKey: authority.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(usage.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([EMAIL_PROTECTION, CLAIM_SIGNING]),
        await x509.SubjectKeyIdentifierExtension.create(own.publicKey),
        await x509.AuthorityKeyIdentifierExtension.create(authority.publicKey),
      ],
    });
    return new SigningCertificate(
      own.key,
      [leaf, root].map((made) => new X509Certificate(Buffer.from(made.rawData))),
      'ed25519',
    );
  }
}

const ED25519 = { name: 'Ed25519' };
/** The key purposes that the certificate profile of C2PA requires. */
const EMAIL_PROTECTION = '1.3.6.1.5.5.7.3.4';
const CLAIM_SIGNING = '1.3.6.1.4.1.62558.2.1';

const keysOf = async (seed: Buffer) => {
  const key = ed25519Key(seed);
  const pkcs8 = key.export({ format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const { subtle } = webcrypto;
  return {
    key,
    privateKey: await subtle.importKey('pkcs8', pkcs8, ED25519, false, ['sign']),
    publicKey: await subtle.importKey('spki', spki, ED25519, true, ['verify']),
  };
};
