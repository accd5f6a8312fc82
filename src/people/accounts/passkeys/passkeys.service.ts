import { isIP } from 'node:net';

import { Inject, Injectable } from '@nestjs/common';
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { NotFound } from '#kernel/app-error';
import type { Account, Person } from '../account.entity';
import { accountLinks } from '../account-links';
import { AccountRepository } from '../account.repository';
import { AccountBanned, PasskeyRefused, PasskeysImpossible } from '../accounts.errors';
import { OwnerProof, type Proof } from '../owner-proof';
import { SecurityMails } from '../security-mails';
import { SessionAccounts } from '../session-accounts';
import { PASSKEYS_MAX, TOO_MANY_PASSKEYS } from './passkey-limits';
import { type Challenge, PasskeyChallenges } from './passkey-challenges';
import type { Passkey } from './passkey.entity';
import { PasskeyRepository } from './passkey.repository';
import { SETTINGS } from '#platform/config/settings';
import type { HttpSettings } from '#platform/http/http.settings';

/** Passkeys: a device that recognises its owner replaces the password and the code. */
@Injectable()
export class PasskeysService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly passkeys: PasskeyRepository,
    private readonly challenges: PasskeyChallenges,
    private readonly sessions: SessionAccounts,
    private readonly proof: OwnerProof,
    private readonly mails: SecurityMails,
    @Inject(SETTINGS) private readonly settings: HttpSettings,
  ) {}

  /** Browsers make passkeys for host names only, not for IP addresses. */
  get arePossible(): boolean {
    return isIP(this.site.hostname.replace(/^\[|\]$/g, '')) === 0;
  }

  listOf({ id }: Person): Promise<Passkey[]> {
    return this.passkeys.listOf(id);
  }

  /** A passkey gives lasting access, so a session alone may not add one. */
  async beginAdding(
    person: Person,
    proof: Proof,
    request: FastifyRequest,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    this.requirePossible();
    await this.proof.require(person, proof, request);
    const own = await this.passkeys.listOf(person.id);
    if (own.length >= PASSKEYS_MAX) throw new PasskeysImpossible(TOO_MANY_PASSKEYS);
    return generateRegistrationOptions({
      rpName: 'Lamppost',
      rpID: this.site.hostname,
      userName: person.email,
      userID: new Uint8Array(Buffer.from(person.id)),
      challenge: this.challenges.make(person.id),
      attestationType: 'none',
      excludeCredentials: own.map(({ id, transports }) => ({
        id,
        transports: transports as AuthenticatorTransport[],
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  async add(person: Person, name: string, response: RegistrationResponseJSON): Promise<Passkey> {
    this.requirePossible();
    await orRefused(() => requireNoAttestation(response));
    let challenge: Challenge | undefined;
    const verified = await orRefused(() =>
      verifyRegistrationResponse({
        response,
        expectedChallenge: (encoded) => {
          challenge = this.challenges.read(encoded, person.id);
          return challenge !== undefined;
        },
        expectedOrigin: this.site.origin,
        expectedRPID: this.site.hostname,
      }),
    );
    if (!verified.verified || challenge === undefined) throw new PasskeyRefused();
    const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
    const draft = {
      id,
      accountId: person.id,
      name: name.trim(),
      publicKey: Buffer.from(publicKey),
      counter,
      transports: transports.filter((one) => /^[a-z-]{1,20}$/.test(one)).slice(0, 10),
    };
    const isAdded = await this.passkeys.add(draft, challenge);
    if (isAdded === 'answered') throw new PasskeyRefused();
    const added = isAdded ? await this.passkeys.find(id) : undefined;
    if (added === undefined) throw new PasskeysImpossible(TOO_MANY_PASSKEYS);
    this.mails.send(person, 'A passkey was added to your account.');
    return added;
  }

  async remove(person: Person, id: string, proof: Proof, request: FastifyRequest): Promise<void> {
    await this.proof.require(person, proof, request);
    if (!(await this.passkeys.remove(person.id, id))) throw new NotFound('You have no passkey with this id.');
    this.mails.send(person, 'A passkey was removed from your account.');
  }

  /** The options are the same for everybody, because the device itself finds its passkeys for this service. */
  async beginSignIn(): Promise<PublicKeyCredentialRequestOptionsJSON> {
    this.requirePossible();
    return generateAuthenticationOptions({
      rpID: this.site.hostname,
      challenge: this.challenges.make(),
      userVerification: 'required',
    });
  }

  async signIn(
    response: AuthenticationResponseJSON,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Person> {
    const passkey = await this.passkeys.find(response.id);
    if (passkey === undefined) throw new PasskeyRefused();
    await this.verify(passkey, response);
    const account = await this.accounts.find(passkey.accountId);
    if (account?.bannedAt !== undefined) throw new AccountBanned(accountLinks(this.settings.http.publicUrl));
    const login = { accountId: passkey.accountId, passkey: passkey.id };
    if (account === undefined || !(await this.sessions.open(request, reply, login)))
      throw new PasskeyRefused();
    return account satisfies Account as Person;
  }

  private async verify(
    { id, publicKey, counter, transports }: Passkey,
    response: AuthenticationResponseJSON,
  ): Promise<void> {
    let challenge: Challenge | undefined;
    const { verified, authenticationInfo } = await orRefused(() =>
      verifyAuthenticationResponse({
        response,
        expectedChallenge: (encoded) => {
          challenge = this.challenges.read(encoded);
          return challenge !== undefined;
        },
        expectedOrigin: this.site.origin,
        expectedRPID: this.site.hostname,
        credential: {
          id,
          publicKey: new Uint8Array(publicKey),
          counter,
          transports: transports as AuthenticatorTransport[],
        },
      }),
    );
    if (!verified || challenge === undefined) throw new PasskeyRefused();
    if (!(await this.passkeys.use(id, authenticationInfo.newCounter, challenge))) throw new PasskeyRefused();
  }

  private requirePossible(): void {
    if (!this.arePossible) throw new PasskeysImpossible();
  }

  private get site(): URL {
    return new URL(this.settings.http.publicUrl);
  }
}

/**
 * We ask for no attestation, and browsers then send `none`. The library reads the certificates of the others and fetches
 * addresses that they name, so they are refused before the library sees them.
 */
const requireNoAttestation = async ({ response }: RegistrationResponseJSON): Promise<void> => {
  const bytes = isoBase64URL.toBuffer(response.attestationObject);
  if (decodeAttestationObject(bytes).get('fmt') !== 'none')
    throw new Error('The passkey has an attestation.');
};

/** Converts errors of the library to a refusal, because the library throws for every fault of an answer. */
const orRefused = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw new PasskeyRefused(error);
  }
};
