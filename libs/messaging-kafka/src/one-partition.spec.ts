import { AssignerProtocol, type Cluster } from 'kafkajs';
import { onePartition } from './one-partition.ts';

const clusterWith = (partitions: readonly number[]): Cluster =>
  ({ findTopicPartitionMetadata: () => partitions.map((partitionId) => ({ partitionId })) }) as unknown as Cluster;

test('of all partitions there are, the one that is chosen is given to the member, and no other', async () => {
  const offered: (readonly number[])[] = [];
  const choose = (partitions: readonly number[]): number => {
    offered.push(partitions);
    return partitions[1] ?? -1;
  };
  const assigner = onePartition(choose)({ cluster: clusterWith([2, 0, 1]), groupId: 'g', logger: undefined as never });
  const given = await assigner.assign({
    members: [{ memberId: 'm1', memberMetadata: Buffer.alloc(0) }],
    topics: ['t'],
  });
  expect(offered).toEqual([[0, 1, 2]]);
  expect(given.map(({ memberId }) => memberId)).toEqual(['m1']);
  const [{ memberAssignment } = { memberAssignment: Buffer.alloc(0) }] = given;
  expect(AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment).toEqual({ t: [1] });
});
