import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';

/** The client's way to read one partition by hand: a group of one member, which gives itself that one. */
export const onePartition =
  (choose: (partitions: readonly number[]) => number): PartitionAssigner =>
  ({ cluster }) => ({
    name: 'one-partition',
    version: 0,
    assign: async ({ members, topics: [topic = ''] }) => {
      const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
      const assignment = { [topic]: [choose(partitions.sort((a, b) => a - b))] };
      const memberAssignment = AssignerProtocol.MemberAssignment.encode({ version: 0, assignment, userData: none });
      return members.map(({ memberId }) => ({ memberId, memberAssignment }));
    },
    protocol: ({ topics }) => ({
      name: 'one-partition',
      metadata: AssignerProtocol.MemberMetadata.encode({ version: 0, topics: [...topics], userData: none }),
    }),
  });

const none = Buffer.alloc(0);
