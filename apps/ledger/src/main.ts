import { runService } from '@causeway/service';
import { ledgerService } from './ledger.module.ts';

await runService(ledgerService);
