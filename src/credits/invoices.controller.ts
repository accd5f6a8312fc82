import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';

import { DoneAnswer } from '../accounts/accounts.dto';
import type { Acting } from '../accounts/acting';
import { ActingRoute, SignedIn } from '../accounts/session.guard';
import { Audited } from '../organisations/audited';
import { PageQuery } from '../platform/http/routes/page-query';
import { ApiFailures } from '../platform/openapi/docs';
import {
  BilledTopUpAnswer,
  BilledTopUpsAnswer,
  BillingAddressAnswer,
  BillingAddressBody,
} from './invoices.dto';
import { InvoicesService } from './invoices.service';

/** Invoices of top-ups, and the address on them. */
@ApiTags('account')
@ActingRoute()
@Controller('v1/account/billing')
export class InvoicesController {
  constructor(private readonly invoices: InvoicesService) {}

  @Get('address')
  @ApiOperation({ summary: 'The buyer on your invoices.', operationId: 'getBillingAddress' })
  @ApiOkResponse({ type: BillingAddressAnswer })
  @ApiFailures(401)
  address(@SignedIn() { organisation }: Acting): Promise<BillingAddressAnswer> {
    return this.invoices.address(organisation.id);
  }

  @Put('address')
  @Audited('address.changed')
  @ApiOperation({
    summary: 'Set the buyer on your invoices.',
    description: 'It is on invoices of later payments. An invoice never changes.',
    operationId: 'setBillingAddress',
  })
  @ApiOkResponse({ type: BillingAddressAnswer })
  @ApiFailures(400, 401)
  setAddress(
    @SignedIn() { organisation }: Acting,
    @Body() body: BillingAddressBody,
  ): Promise<BillingAddressAnswer> {
    return this.invoices.setAddress(organisation.id, body);
  }

  @Delete('address')
  @Audited('address.changed')
  @ApiOperation({
    summary: 'Remove the buyer from your later invoices.',
    operationId: 'removeBillingAddress',
  })
  @ApiOkResponse({ type: DoneAnswer })
  @ApiFailures(401)
  async removeAddress(@SignedIn() { organisation }: Acting): Promise<DoneAnswer> {
    await this.invoices.removeAddress(organisation.id);
    return { ok: true };
  }

  @Get('top-ups')
  @ApiOperation({
    summary: 'Top-ups by card with their invoices, newest first.',
    operationId: 'listTopUps',
  })
  @ApiOkResponse({ type: BilledTopUpsAnswer })
  @ApiFailures(400, 401)
  list(
    @SignedIn() { organisation }: Acting,
    @Query() { limit, cursor }: PageQuery,
  ): Promise<BilledTopUpsAnswer> {
    return this.invoices.list(organisation.id, limit, cursor);
  }

  @Get('top-ups/:id')
  @ApiOperation({
    summary: 'One top-up with its invoice.',
    description: 'The page `/account/billing/invoice?topUp=…` shows it for printing.',
    operationId: 'getTopUp',
  })
  @ApiOkResponse({ type: BilledTopUpAnswer })
  @ApiFailures(401, 404)
  find(@SignedIn() { organisation }: Acting, @Param('id') id: string): Promise<BilledTopUpAnswer> {
    return this.invoices.find(organisation.id, id);
  }
}
