import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';

import { AccountRoute } from '#people/accounts/routes/account-route';
import { LEADS, PAYERS } from '#people/accounts/roles';
import { audited } from '#people/accounts/audit/audited';
import { ADDRESS_CHANGED } from './credits.audit';
import { DoneAnswer } from '#people/accounts/accounts.dto';
import type { Acting } from '#people/accounts/acting-person';
import { SignedIn } from '#people/accounts/session.guard';
import { PageQuery } from '#platform/http/routes/page-query';
import {
  BilledTopUpAnswer,
  BilledTopUpsAnswer,
  BillingAddressAnswer,
  BillingAddressBody,
} from './invoices.dto';
import { InvoicesService } from './invoices.service';

/** Invoices of top-ups, and the address on them. */
@ApiTags('account')
@Controller('v1/account/billing')
export class InvoicesController {
  constructor(private readonly invoices: InvoicesService) {}

  @Get('address')
  @AccountRoute({
    who: PAYERS,
    summary: 'The buyer on your invoices.',
    operationId: 'getBillingAddress',
    answer: BillingAddressAnswer,
    failures: [401],
  })
  address(@SignedIn() { organisation }: Acting): Promise<BillingAddressAnswer> {
    return this.invoices.address(organisation.id);
  }

  @Put('address')
  @AccountRoute({
    who: LEADS,
    audit: audited(ADDRESS_CHANGED),
    summary: 'Set the buyer on your invoices.',
    description: 'It is on invoices of later payments. An invoice never changes.',
    operationId: 'setBillingAddress',
    answer: BillingAddressAnswer,
    failures: [400, 401],
  })
  setAddress(
    @SignedIn() { organisation }: Acting,
    @Body() body: BillingAddressBody,
  ): Promise<BillingAddressAnswer> {
    return this.invoices.setAddress(organisation.id, body);
  }

  @Delete('address')
  @AccountRoute({
    who: LEADS,
    audit: audited(ADDRESS_CHANGED),
    summary: 'Remove the buyer from your later invoices.',
    operationId: 'removeBillingAddress',
    answer: DoneAnswer,
    failures: [401],
  })
  async removeAddress(@SignedIn() { organisation }: Acting): Promise<DoneAnswer> {
    await this.invoices.removeAddress(organisation.id);
    return { ok: true };
  }

  @Get('top-ups')
  @AccountRoute({
    who: PAYERS,
    summary: 'Top-ups by card with their invoices, newest first.',
    operationId: 'listTopUps',
    answer: BilledTopUpsAnswer,
    failures: [400, 401],
  })
  list(
    @SignedIn() { organisation }: Acting,
    @Query() { limit, cursor }: PageQuery,
  ): Promise<BilledTopUpsAnswer> {
    return this.invoices.list(organisation.id, limit, cursor);
  }

  @Get('top-ups/:id')
  @AccountRoute({
    who: PAYERS,
    summary: 'One top-up with its invoice.',
    description: 'The page `/account/billing/invoice?topUp=…` shows it for printing.',
    operationId: 'getTopUp',
    answer: BilledTopUpAnswer,
    failures: [401, 404],
  })
  find(@SignedIn() { organisation }: Acting, @Param('id') id: string): Promise<BilledTopUpAnswer> {
    return this.invoices.find(organisation.id, id);
  }
}
