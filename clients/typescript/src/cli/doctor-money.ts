import { Lamppost, type Receipt } from '../lamppost.ts';
import { oneLine, usd } from './output.ts';
import { bad, ok, skipped, warning } from './findings.ts';
import { type Check, type Json, PROMPT, codeOf, requiredOf } from './patient.ts';

/** The usual limit of proxies for the headers of an answer. */
const HEADER_BYTES_MAX = 8_000;
const NOWHERE = /^0x0+(dead)?$/i;

/** Checks whether payments work: prices, the 402, receipts. */
export const MONEY: Readonly<Record<string, Check>> = {
  prices: async (patient) => {
    const body = { ...PROMPT };
    const unpaid = await patient.post('/v1/agent/chat', body);
    if (codeOf(unpaid) === 'NOT_OFFERED') return skipped('no text is sold here');
    const asked = requiredOf(unpaid).accepts?.[0]?.amount;
    const model = (
      (await patient.get('/v1/agent/models')).json as { textModels?: { id: string; default?: boolean }[] }
    ).textModels;
    const modelId = model?.find((one) => one.default === true)?.id ?? model?.[0]?.id;
    const quote = await patient.post('/v1/agent/quote', {
      modelId,
      ...body,
      prompt: 'Hello.',
      messages: undefined,
    });
    const { priceMicro, quoteId } = quote.json as { priceMicro?: number; quoteId?: string };
    if (unpaid.status !== 402 || asked === undefined)
      return bad(
        `a call without payment is answered with ${unpaid.status} instead of 402`,
        'Check the proxies in between: one may swallow 402.',
      );
    if (String(priceMicro) !== asked)
      return bad(
        `a quote says ${priceMicro}, the 402 asks for ${oneLine(asked)}`,
        'Do all its processes run the same version with the same settings?',
      );
    const locked = await patient.post('/v1/agent/chat', { ...body, model: modelId, quoteId });
    const again = requiredOf(locked).accepts?.[0]?.amount;
    return again === asked
      ? ok(`the quote of ${usd(Number(asked))} is what the 402 asks, and is kept to`)
      : bad(
          `with its quote the call asks for ${oneLine(again ?? locked.status)}`,
          'Do all its processes have the same SIGNING_SECRET?',
        );
  },

  'payment asked': async (patient) => {
    const unpaid = await patient.post('/v1/agent/chat', PROMPT);
    if (codeOf(unpaid) === 'NOT_OFFERED') return skipped('no text is sold here');
    const header = unpaid.headers.get('payment-required') ?? '';
    const { accepts: [accepted = {}] = [], resource } = requiredOf(unpaid);
    const [old = {}] = (unpaid.json['accepts'] ?? []) as readonly Json[];
    const problems = [
      header === '' && 'there is no PAYMENT-REQUIRED header',
      header.length > HEADER_BYTES_MAX &&
        `its header of ${header.length} bytes is more than some proxies take`,
      accepted.scheme !== 'exact' && 'its scheme is not `exact`',
      !/^eip155:\d+$/.test(accepted.network ?? '') && 'its network is none',
      !/^0x[0-9a-fA-F]{40}$/.test(accepted.asset ?? '') && 'its token is no address',
      !/^0x[0-9a-fA-F]{40}$/.test(accepted.payTo ?? '') && 'its payee is no address',
      !/^\d+$/.test(accepted.amount ?? '') && 'its amount is no number',
      !((accepted.maxTimeoutSeconds ?? 0) > 0) && 'it leaves no time to pay',
      (accepted.extra?.name ?? '') === '' && 'it does not name the token, which clients sign for',
      old['maxAmountRequired'] !== accepted.amount &&
        'clients of the first version would read another amount',
      resource?.url?.startsWith(patient.base.origin) !== true && 'it is for another address than this one',
      unpaid.headers.get('x-charge-state') !== 'none' && 'its X-Charge-State is not `none`',
    ].filter((one) => one !== false);
    if (problems.length > 0)
      return bad(
        problems.join('; '),
        'Stock x402 clients could not pay. Look at PUBLIC_URL, the X402 settings and the proxy.',
      );
    if (NOWHERE.test(accepted.payTo ?? '') && !(await patient.isSandbox()))
      return bad('payments would go to an address without an owner', 'Set X402_PAY_TO.');
    return ok(`exact, ${oneLine(accepted.network ?? '')}, to ${oneLine(accepted.payTo ?? '')}`);
  },

  'receipt keys': async (patient) => {
    const { keys = [] } = (await patient.get('/.well-known/jwks.json')).json as { keys?: readonly Json[] };
    return keys.some(({ kty, crv, x }) => kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string')
      ? ok(`${keys.length} at /.well-known/jwks.json`)
      : bad('there is no key to verify receipts with', 'Check that the proxy forwards /.well-known.');
  },

  'dry run': async (patient) => {
    if (patient.key === undefined) return skipped('needs --key');
    const before = await patient.withKey('/v1/agent/balance');
    if (before.status !== 200)
      return bad(
        `the key is refused: ${oneLine(codeOf(before) ?? String(before.status))}`,
        'Take another key.',
      );
    const unpaid = await patient.post('/v1/agent/chat', PROMPT);
    const dry = await patient.withKey('/v1/agent/chat', { ...PROMPT, dryRun: true });
    const after = await patient.withKey('/v1/agent/balance');
    const list = requiredOf(unpaid).accepts?.[0]?.amount;
    if (codeOf(dry) === 'INSUFFICIENT_FUNDS')
      return warning('the account of the key is empty', 'Top it up to see more.');
    if (dry.json['dryRun'] !== true)
      return bad(`a dry run is answered with ${dry.status}`, 'Is this version older than the command?');
    if (String(dry.json['priceMicro']) !== list)
      return bad(
        `a dry run says ${String(dry.json['priceMicro'])}, the 402 asks for ${list}`,
        'Do all its processes have the same settings?',
      );
    return before.json['balanceMicro'] === after.json['balanceMicro']
      ? ok(`says ${usd(Number(list))}, and leaves the balance at ${usd(Number(after.json['balanceMicro']))}`)
      : warning('the balance moved meanwhile', 'Another call may have used it; try again.');
  },

  'receipt proof': async (patient) => {
    if (patient.key === undefined) return skipped('needs --key');
    const { json } = await patient.withKey('/v1/agent/events?types=charge.charged&limit=1');
    const [event] = (json['events'] ?? []) as readonly { readonly data?: { readonly id?: string } }[];
    if (event?.data?.id === undefined) return skipped('the events show no charge of this key yet');
    const client = new Lamppost({ baseUrl: patient.base.href });
    const receipt: Receipt = await client.receipts.get(event.data.id);
    if (!(await client.receipts.verify(receipt)))
      return bad(
        `the receipt of ${oneLine(receipt.id)} can't be verified with its keys`,
        'Has SIGNING_SECRET changed, or do processes have different ones?',
      );
    const forged = await client.receipts.verify({ ...receipt, priceMicro: receipt.priceMicro + 1 });
    return forged
      ? bad('a changed receipt passes as well', 'This command is broken: do not trust its results.')
      : ok('the receipt of the newest charge is valid, and a changed copy is not');
  },
};
