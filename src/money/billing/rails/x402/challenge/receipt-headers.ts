import { checksummed } from '#kernel/wallet-address';
import { v1NameOf } from '../v1-network-names';
import { FAULTS, type PaymentFault } from '../proof/payment-fault-messages';
import { encodeHeader } from './requirements';
import type { SignedPayment } from '../proof/signed-payment';

type Headers = Readonly<Record<string, string>>;

/**
 * The settlement as both protocol versions show it. It contains no text of a facilitator, because such a text may
 * contain secrets.
 */
const inBothVersions = (response: Readonly<Record<string, unknown>>, network: string): Headers => ({
  'payment-response': encodeHeader({ ...response, network }),
  'x-payment-response': encodeHeader({ ...response, network: v1NameOf(network) ?? network }),
});

export const paidHeaders = ({ network, payer, amount }: SignedPayment, transaction: string): Headers =>
  inBothVersions(
    { success: true, transaction, payer: checksummed(payer), amount: amount.toString() },
    network,
  );

export const unpaidHeaders = ({ network, payer }: SignedPayment, fault: PaymentFault): Headers =>
  inBothVersions(
    { success: false, errorReason: FAULTS[fault].wire, transaction: '', payer: checksummed(payer) },
    network,
  );
