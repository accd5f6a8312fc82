import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import type { Database } from '#platform/database/database';
import { tableOf } from '#platform/database/table';
import type { SignedPayment } from '../proof/signed-payment';
import { SandboxAuthorization, SandboxWallet } from './sandbox-chain.entity';

/** Takes the amount from a wallet that has a row here. A wallet without a row has unlimited money. */
const TRANSFER = `
  with debited as (
    update sandbox_wallet set balance_micro = balance_micro - $4::bigint
    where wallet = $1 and balance_micro >= $4::bigint returning wallet
  ), covered as (
    select wallet from debited
    union all
    select $1 where not exists (select from sandbox_wallet where wallet = $1)
  )
  insert into sandbox_authorization (network, payer, nonce, outcome, pay_to, amount_micro, tx_hash)
  select $6, wallet, $2::bytea, 'used', $3, $4::bigint, $5 from covered
  returning tx_hash`;

const AUTHORIZATIONS = tableOf(SandboxAuthorization);
const WALLETS = tableOf(SandboxWallet);

/** The sandbox's chain: wallets and used authorizations in two tables. */
export class SandboxChainRepository {
  constructor(private readonly db: Database) {}

  /** The transaction's hash, or undefined if the wallet has too little money. A used nonce violates the primary key. */
  async transfer(
    { network, payer, payTo, amount }: Pick<SignedPayment, 'network' | 'payer' | 'payTo' | 'amount'>,
    nonce: Buffer,
    hash: string,
  ): Promise<string | undefined> {
    const row = await this.db.one<{ tx_hash: string }>(
      TRANSFER,
      [payer, nonce, payTo, amount, hash, network],
      'sandbox-transfer',
    );
    return row?.tx_hash;
  }

  async balanceOf(wallet: WalletAddress): Promise<Micro | undefined> {
    const row = await this.db.one(
      `select ${WALLETS.columns} from sandbox_wallet where wallet = $1`,
      [wallet],
      'sandbox-balance',
    );
    return row && WALLETS.read(row).balance;
  }

  async find(
    network: string,
    payer: WalletAddress,
    nonce: Buffer,
  ): Promise<SandboxAuthorization | undefined> {
    const row = await this.db.one(
      `select ${AUTHORIZATIONS.columns} from sandbox_authorization where network in ($1, '') and payer = $2 and nonce = $3::bytea`,
      [network, payer, nonce],
      'sandbox-authorization',
    );
    return row && AUTHORIZATIONS.read(row);
  }
}
