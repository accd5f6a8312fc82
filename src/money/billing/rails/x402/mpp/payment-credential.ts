import type { IncomingHttpHeaders } from 'node:http';

import { type Fields, isFields, jsonInBase64 } from '#kernel/json';
import { keccak256 } from '#kernel/keccak';
import { parseWallet } from '#kernel/wallet-address';
import {
  HEADER_MAX,
  type ReadPayment,
  authorizationOf,
  fault,
  recordIn,
  textOf,
} from '../proof/payment-header';
import type { SignedPayment } from '../proof/signed-payment';
import { quoteIn } from './payment-challenge';

const FORM = /^Payment +([A-Za-z0-9_-]+={0,2})$/i;

/** The credential of the scheme `Payment`, whether or not it is valid. */
export const credentialOf = ({ authorization }: IncomingHttpHeaders): string | undefined =>
  authorization !== undefined && /^Payment( |$)/i.test(authorization) ? authorization : undefined;

const recordOf = (base64: string): Fields | undefined => {
  const value = jsonInBase64(base64);
  return isFields(value) ? value : undefined;
};

/** The nonce that the answer to a challenge must sign, as the method `evm` defines it. */
const nonceOf = (id: string, realm: string): string => `0x${keccak256(id + realm).toString('hex')}`;

/** Whether the client names a payer who did not sign, such as a wallet of another chain. */
const isStranger = (source: unknown, chainId: unknown, { payer }: Pick<SignedPayment, 'payer'>): boolean => {
  if (source === undefined) return false;
  if (typeof source !== 'string') return true;
  const [, chain, wallet = ''] = /^did:pkh:eip155:(\d{1,10}):(0x\w{40})$/.exec(source) ?? [];
  return chain !== String(chainId) || parseWallet(wallet) !== payer;
};

/**
 * Reads a credential that answers a challenge of `payment-challenge.ts`. The fields have the right form but are not
 * verified yet. The client returned the challenge, so the challenge proves nothing: `PaymentCheck` verifies the MAC of
 * the quote in the challenge's id.
 */
export const readCredential = (
  credential: string,
  realm: string,
  networks: readonly Pick<SignedPayment, 'network' | 'asset'>[],
): ReadPayment => {
  const [, base64] = FORM.exec(credential.length > HEADER_MAX ? '' : credential) ?? [];
  const sent = base64 === undefined ? undefined : recordOf(base64);
  const challenge = recordIn(sent, 'challenge');
  const request = recordOf(textOf(challenge, 'request') ?? '');
  const payload = recordIn(sent, 'payload');
  if (challenge === undefined || request === undefined || payload === undefined)
    return fault('bad_credential');
  if (challenge['method'] !== 'evm' || challenge['intent'] !== 'charge') return fault('bad_credential');
  if (challenge['realm'] !== realm || payload['type'] !== 'authorization') return fault('bad_credential');
  const chainId = recordIn(request, 'methodDetails')?.['chainId'];
  const taken = networks.find(({ network }) => network === `eip155:${String(chainId)}`);
  if (taken === undefined) return fault('wrong_network');
  const id = textOf(challenge, 'id') ?? '';
  const quote = quoteIn(id);
  const authorization = authorizationOf({ authorization: payload, signature: payload['signature'] });
  if (quote === undefined || authorization?.nonce !== nonceOf(id, realm)) return fault('bad_credential');
  if (isStranger(sent?.['source'], chainId, authorization)) return fault('bad_credential');
  const accepted = {
    amount: textOf(request, 'amount') ?? '',
    asset: textOf(request, 'currency') ?? '',
    payTo: textOf(request, 'recipient') ?? '',
  };
  const payment = { network: taken.network, asset: taken.asset, ...authorization };
  return { ok: true, offer: { payment, accepted, quote, isMpp: true } };
};
