import { runService } from '@causeway/service';
import { gatewayService } from './gateway.module.ts';

await runService(gatewayService);
