import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { NotFound } from '../../kernel/app-error';
import { microToJson } from '../../kernel/money';
import { checksummed, parseWallet } from '../../kernel/wallet-address';
import { ApiFailures, PublicRoute } from '../../platform/openapi/docs';
import type { Charge } from '../charges/charge';
import { ChargeRepository } from '../charges/charge.repository';
import { Rails } from '../rails/rails';
import { ReceiptSigner } from './receipt-signer';
import { ReceiptAnswer } from './receipt.dto';

const payerOf = ({ payer }: Charge): string => {
  const wallet = parseWallet(payer);
  return wallet === undefined ? payer : checksummed(wallet);
};

/** What became of a charge. Its id can't be guessed, so whoever has it may read it. */
@ApiTags('billing')
@Controller()
export class ReceiptsController {
  constructor(
    private readonly charges: ChargeRepository,
    private readonly rails: Rails,
    private readonly signer: ReceiptSigner,
  ) {}

  @Get('v1/agent/charges/:id')
  @Header('cache-control', 'no-store')
  @PublicRoute()
  @ApiOperation({ summary: 'The signed receipt of a charge.', operationId: 'getCharge' })
  @ApiOkResponse({ type: ReceiptAnswer })
  @ApiFailures(404)
  async receipt(@Param('id') id: string): Promise<ReceiptAnswer> {
    const charge = await this.charges.find(id);
    if (charge === undefined) {
      throw new NotFound('There is no charge with this id.');
    }
    const transaction = await this.rails.of(charge.rail).transactionOf(charge.id);
    const receipt = {
      id: charge.id,
      state: charge.state,
      rail: charge.rail,
      payer: payerOf(charge),
      ...(charge.modelId === undefined ? {} : { modelId: charge.modelId }),
      priceMicro: microToJson(charge.price),
      listPriceMicro: microToJson(charge.list),
      discountPercent: charge.discountPercent,
      ...(charge.jobId === undefined ? {} : { jobId: charge.jobId }),
      ...(transaction === undefined ? {} : { transaction }),
      createdAt: charge.createdAt.toISOString(),
      ...(charge.settledAt === undefined ? {} : { settledAt: charge.settledAt.toISOString() }),
      ...(charge.refundedAt === undefined ? {} : { refundedAt: charge.refundedAt.toISOString() }),
    };
    return { ...receipt, jws: this.signer.sign(receipt) };
  }

  @Get('.well-known/jwks.json')
  @Header('cache-control', 'public, max-age=3600')
  @ApiExcludeEndpoint()
  jwks(): object {
    return this.signer.jwks;
  }
}
