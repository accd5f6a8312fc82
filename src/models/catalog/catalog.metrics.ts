import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';

import { bookAgeDays } from './book/price-book';

@Injectable()
export class CatalogMetrics {
  /** The gauge sets itself when the metrics are read. */
  constructor(registry: Registry) {
    void new Gauge({
      name: 'lamppost_price_book_age_days',
      help: "Days since the book of the makers' prices was published, or since the oldest price of media was looked up.",
      registers: [registry],
      collect() {
        this.set(bookAgeDays(Date.now()));
      },
    });
  }
}
