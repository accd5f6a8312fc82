import { Controller, Get, Header, type OnModuleInit, Param, Req } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

import { EventPresenters } from '#notices/outbox/event-presenters';
import { AppError, NotFound } from '#kernel/app-error';
import { microToJson } from '#kernel/money';
import { checksummed, parseWallet } from '#kernel/wallet-address';
import { PublicRoute } from '#platform/openapi/docs';
import { ApiFailures } from '#platform/openapi/failures';
import { tableOf } from '#platform/database/table';
import { Charge } from '../charges/charge.entity';
import { ChargeRepository } from '../charges/charge.repository';
import { Owners } from '../calls/owners';
import type { ChainTransfer } from '../rails/rail';
import { Rails } from '../rails/rails';
import { LogProofs } from '../transparency/log-proofs';
import type { InclusionProofAnswer } from '../transparency/transparency.dto';
import { ReceiptSigner } from './receipt-signer';
import { ChargeStateAnswer, ReceiptAnswer } from './receipt.dto';
import { InDocument } from '#platform/openapi/audience';

const payerOf = ({ payer }: Charge): string => {
  const wallet = parseWallet(payer);
  return wallet === undefined ? payer : checksummed(wallet);
};

/** The fields of a receipt that the events of a charge contain as well. */
const factsOf = (
  charge: Charge,
  transfer: Partial<ChainTransfer> = {},
): Omit<ReceiptAnswer, 'jws' | 'proof'> => {
  // The job's id is a permission to read the result, so only a paid charge shows it.
  const isPaid = charge.state === 'charged' || charge.state === 'refunded';
  return {
    id: charge.id,
    state: charge.state,
    rail: charge.rail,
    payer: payerOf(charge),
    modelId: charge.modelId,
    priceMicro: microToJson(charge.price),
    listPriceMicro: microToJson(charge.list),
    discountPercent: charge.discountPercent,
    jobId: isPaid ? charge.jobId : undefined,
    tag: charge.tag,
    network: transfer.network,
    transaction: transfer.transaction,
    createdAt: charge.createdAt.toISOString(),
    settledAt: charge.settledAt?.toISOString(),
    refundedAt: charge.refundedAt?.toISOString(),
  };
};

const CHARGES = tableOf(Charge);

/**
 * Returns the state of a charge. The charge's id can't be guessed and serves as a permission, unless the id was
 * published.
 */
@ApiTags('billing')
@InDocument('crawlers')
@Controller()
export class ReceiptsController implements OnModuleInit {
  constructor(
    private readonly charges: ChargeRepository,
    private readonly rails: Rails,
    private readonly signer: ReceiptSigner,
    private readonly events: EventPresenters,
    private readonly owners: Owners,
    private readonly proofs: LogProofs,
  ) {}

  onModuleInit(): void {
    this.events.add(['charge.charged', 'charge.released', 'charge.refunded'], (row) =>
      factsOf(CHARGES.read(row), {
        network: row['network'] as string | undefined,
        transaction: row['transaction'] as string | undefined,
      }),
    );
  }

  @Get('v1/agent/charges/:id')
  @Header('cache-control', 'no-store')
  @PublicRoute()
  @ApiOperation({ summary: 'The signed receipt of a charge.', operationId: 'getCharge' })
  @ApiExtraModels(ReceiptAnswer, ChargeStateAnswer)
  @ApiOkResponse({
    schema: { anyOf: [{ $ref: getSchemaPath(ReceiptAnswer) }, { $ref: getSchemaPath(ChargeStateAnswer) }] },
  })
  @ApiFailures(401, 403, 404, 451)
  async receipt(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
  ): Promise<ReceiptAnswer | ChargeStateAnswer> {
    const charge = await this.charges.find(id);
    if (charge === undefined) {
      throw new NotFound('There is no charge with this id.');
    }
    if ((await this.charges.isPublished(charge.id)) && !(await this.isOwner(request, charge))) {
      return { id: charge.id, state: charge.state };
    }
    const facts = factsOf(charge, await this.rails.of(charge.rail).transferOf(charge.id));
    const receipt = { ...facts, proof: await this.proofOf(charge, request) };
    return { ...receipt, jws: this.signer.sign(receipt) };
  }

  /** A proof contains the balance of the owner. A wallet's balance is public; an account's is for its owner alone. */
  private async proofOf(charge: Charge, request: FastifyRequest): Promise<InclusionProofAnswer | undefined> {
    const isShown = parseWallet(charge.payer) !== undefined || (await this.isWholeOwner(request, charge));
    return isShown ? this.proofs.ofCharge(charge.id, charge.state) : undefined;
  }

  /**
   * The id of a charge is enough to read the charge, so without a valid credential the receipt only lacks the proof.
   */
  private async isWholeOwner(request: FastifyRequest, { payer }: Charge): Promise<boolean> {
    if (this.rails.prepaidClaiming(request) === undefined) return false;
    try {
      const { id, view } = await this.owners.ownerIn(request, 'read');
      return id === payer && view.onlyKey === undefined;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  private async isOwner(request: FastifyRequest, { id }: Charge): Promise<boolean> {
    if (this.rails.prepaidClaiming(request) === undefined) return false;
    const { view } = await this.owners.ownerIn(request, 'read');
    return this.charges.isSeen(id, view);
  }
}
