import type { Bus } from '@causeway/messaging';
import { messageServer, MessageFaults } from '@causeway/messaging-nest';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { SERVICE, type ServiceParts } from './service-module.ts';
import type { Service, ServiceConfig } from './service.ts';

type MessageService<C extends ServiceConfig> = Omit<Service<C>, 'open' | 'asks' | 'servesWithoutBus'> &
  Readonly<{
    /** What the service listens to. */
    topics: readonly string[];
    module(config: C, bus: Bus): DynamicModule;
  }>;

/** A service that is reached by messages alone: its controllers are on the bus. */
export const messageService = <C extends ServiceConfig>({
  topics,
  module,
  ...service
}: MessageService<C>): Service<C> => ({
  ...service,
  open: async (config, { bus }) => {
    const app = await NestFactory.createMicroservice(module(config, bus), {
      strategy: messageServer(bus, { group: service.name, topics }),
      logger: ['error', 'fatal'],
      abortOnError: false,
    });
    app.useGlobalFilters(new MessageFaults());
    const { health, figures, stop } = app.get<ServiceParts>(SERVICE);
    const listen = async (): Promise<void> => void (await app.listen());
    // Not waited for: a relay may wait for the bus, which closes next. What fails here fails `close`.
    const retire = async (): Promise<void> => void stop().catch(() => undefined);
    return { health, figures, listen, retire, close: () => app.close() };
  },
});
