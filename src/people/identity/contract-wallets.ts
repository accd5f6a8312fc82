import { Inject, Injectable } from '@nestjs/common';
import { type PublicClient, createPublicClient, hashMessage } from 'viem';

import type { WalletAddress } from '#kernel/wallet-address';
import { rpcTransport } from '#platform/http/outgoing/rpc-transport';
import { walletAccepts } from '#platform/signatures/contract-signature';
import { SignInUnverifiable } from './identity.errors';
import { SETTINGS } from '#platform/config/settings';
import type { NetworkSettings } from '#money/networks/networks.settings';

/** Our own limit of time, because a node allows contracts a long computation. */
const CHECK_MS_MAX = 1_500;

interface ContractSignIn {
  /** The chain that the message names. A contract wallet may exist on only one network. */
  readonly chainId: number;
  readonly wallet: WalletAddress;
  readonly message: string;
  readonly signature: `0x${string}`;
}

/** Asks the chain whether a contract wallet (EIP-1271, ERC-6492) accepts a signature. */
@Injectable()
export class ContractWallets {
  private readonly clients: ReadonlyMap<number, PublicClient>;
  private readonly gasMax: bigint;

  constructor(@Inject(SETTINGS) { x402 }: NetworkSettings) {
    this.gasMax = x402.gasMax;
    // `ccipRead` is false, because a stranger's contract could otherwise make us send requests to any address.
    this.clients = new Map(
      x402.networks
        .filter(({ rpcUrls }) => rpcUrls.length > 0)
        .map(({ chainId, rpcUrls }) => [
          chainId,
          createPublicClient({ ccipRead: false, transport: rpcTransport(rpcUrls, CHECK_MS_MAX) }),
        ]),
    );
  }

  /** Returns false for a network without a configured node. */
  async accepts({ chainId, wallet, message, signature }: ContractSignIn): Promise<boolean> {
    const { gasMax } = this;
    const client = this.clients.get(chainId);
    if (client === undefined) return false;
    const question = { wallet, digest: hashMessage(message), signature, gasMax };
    if (await walletAccepts(client, question).catch(() => false)) return true;
    // An unreachable node looks like a refusal. So the refusal counts only if the node answers this further call.
    try {
      await client.getChainId();
      return false;
    } catch (error) {
      throw new SignInUnverifiable(error);
    }
  }
}
