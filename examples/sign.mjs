// Makes the header of a call that a wallet pays for: `payment <PAYMENT-REQUIRED>`, or `sign-in <address of the service>`.
import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm';
import { privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage, generateSiweNonce } from 'viem/siwe';

const account = privateKeyToAccount(process.env.PRIVATE_KEY);
const [what, text] = process.argv.slice(2);

if (what === 'payment') {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account));
  client.setSpendControls({ maxAmountPerPayment: '$20' }); // Stock clients refuse more than $1 by themselves.
  const payment = await client.createPaymentPayload(decodePaymentRequiredHeader(text));
  console.log(encodePaymentSignatureHeader(payment));
} else {
  const { host, origin } = new URL(text);
  const message = createSiweMessage({
    address: account.address,
    chainId: 8453,
    domain: host,
    nonce: generateSiweNonce(),
    statement: 'Pay from the balance of this wallet.',
    uri: origin,
    version: '1',
  });
  const signature = await account.signMessage({ message });
  console.log(Buffer.from(JSON.stringify({ message, signature })).toString('base64'));
}
