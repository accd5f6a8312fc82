import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';

import { bookAgeDays } from './book/price-book';

@Injectable()
export class CatalogMetrics {
  /** The gauge sets itself when the metrics are read. */
  constructor(registry: Registry) {
    void new Gauge({
      name: 'lamppost_price_book_age_days',
      help: "The age of the book of the makers' prices, or of its oldest price of media, in days.",
      registers: [registry],
      collect() {
        this.set(bookAgeDays(Date.now()));
      },
    });
  }
}
