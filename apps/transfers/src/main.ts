import { runService } from '@causeway/service';
import { transfersService } from './transfers.module.ts';

await runService(transfersService);
