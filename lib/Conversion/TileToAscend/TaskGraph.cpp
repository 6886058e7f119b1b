//===- TaskGraph.cpp - The tasks of a loop that two programs share --------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// An edge says "not in a later task than". What must not be cut - a tile whose
// contents one iteration leaves for the next, an accumulator of the Cube core -
// has edges both ways. A transfer between cores leads to the next task. The
// strongly connected parts of this graph form a sequence of tasks.
//
//===----------------------------------------------------------------------===//

#include "TaskGraph.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilelang/Dialect/Tile/IR/RegionUtils.h"
#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/SCCIterator.h"

using namespace mlir;
using namespace tilelang;

// The names are those that LLVM's graph algorithms ask for.
// NOLINTBEGIN(readability-identifier-naming)
template <> struct llvm::GraphTraits<TaskGraph::Node *> {
  using NodeRef = TaskGraph::Node *;
  using ChildIteratorType = SmallVector<TaskGraph::Node *, 4>::iterator;
  static NodeRef getEntryNode(NodeRef node) { return node; }
  static ChildIteratorType child_begin(NodeRef node) {
    return node->successors.begin();
  }
  static ChildIteratorType child_end(NodeRef node) {
    return node->successors.end();
  }
};
// NOLINTEND(readability-identifier-naming)

/// The parameter, allocation or workspace behind a region.
static Value rootOf(Value target) {
  Value buffer = tile::getBuffer(target);
  if (auto tensor = buffer.getDefiningOp<ascend::TensorOp>())
    return tensor.getParameter();
  return buffer;
}

static bool isGlobal(Value buffer) {
  return ascend::memoryOf(buffer) == ascend::MemoryKind::GM;
}

TaskGraph::TaskGraph(scf::ForOp aic, scf::ForOp aiv) {
  loops[0] = aic;
  loops[1] = aiv;
  addNodes(aic, 0);
  addNodes(aiv, 1);
  if (!collectAccesses())
    return;
  addValueEdges();
  addBufferEdges();
  if (!hasExchange)
    return;
  formComponents();
  if (!reason.empty())
    return;
  assignTasks();
  sinkLoads();
}

/// Index arithmetic and regions, and reads of tensors that nothing in the
/// kernel writes.
bool TaskGraph::isRepeatable(Operation &op) const {
  if (op.getNumRegions() != 0)
    return false;
  for (Value operand : op.getOperands())
    if (Operation *definition = operand.getDefiningOp())
      if (nodeOf.contains(definition))
        return false;
  if (isPure(&op))
    return true;
  auto load = dyn_cast<tile::LoadOp>(op);
  if (!load || !isGlobal(load.getBuffer()))
    return false;
  Value parameter = rootOf(load.getBuffer());
  auto kernel = op.getParentOfType<ascend::KernelOp>();
  auto argument = dyn_cast<BlockArgument>(parameter);
  if (!argument)
    return false;
  SmallVector<OperationAccess> accesses;
  collectAccessesRecursively(kernel, accesses);
  return llvm::none_of(accesses, [&](const OperationAccess &entry) {
    if (!entry.access.writes())
      return false;
    auto other = dyn_cast<BlockArgument>(rootOf(entry.access.target));
    return other && other.getArgNumber() == argument.getArgNumber();
  });
}

void TaskGraph::addNodes(scf::ForOp loop, unsigned core) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isRepeatable(op))
      continue;
    nodes.push_back(std::make_unique<Node>(Node{&op, core, {}, -1}));
    nodeOf[&op] = nodes.back().get();
  }
}

/// Parameters and workspaces of the Vector cores' program stand for those of
/// the Cube core's.
Value TaskGraph::commonKey(Value buffer) const {
  scf::ForOp aic = loops[0];
  auto kernel = aic->getParentOfType<ascend::KernelOp>();
  Block &program = kernel.getAic().front();
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return program.getArgument(argument.getArgNumber());
  if (auto workspace = buffer.getDefiningOp<ascend::WorkspaceOp>())
    for (auto other : program.getOps<ascend::WorkspaceOp>())
      if (other.getId() == workspace.getId())
        return other.getBuffer();
  return buffer;
}

/// False, with a reason, at an operation whose accesses are not known.
bool TaskGraph::collectAccesses() {
  for (auto &node : nodes) {
    WalkResult known = node->op->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<RegionAccessOpInterface>(op))
        return WalkResult::skip();
      if (isa<memref::LoadOp, memref::StoreOp>(op)) {
        Value variable = op->getOperand(isa<memref::StoreOp>(op) ? 1 : 0);
        buffers[variable].push_back({node.get(), isa<memref::LoadOp>(op),
                                     isa<memref::StoreOp>(op), false});
        return WalkResult::advance();
      }
      bool isKnown = isa<scf::ForOp, scf::IfOp>(op) || isMemoryEffectFree(op);
      return isKnown ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (known.wasInterrupted()) {
      reason = "it contains '" + node->op->getName().getStringRef().str() + "'";
      return false;
    }
    SmallVector<OperationAccess> accesses;
    collectAccessesRecursively(node->op, accesses);
    for (const OperationAccess &entry : accesses) {
      Value buffer = commonKey(rootOf(entry.access.target));
      bool covers = entry.operation == node->op &&
                    tile::coversBuffer(entry.access.target);
      if (auto map = dyn_cast<tile::MapOp>(entry.operation))
        covers &= map.getClipped().empty();
      buffers[buffer].push_back(
          {node.get(), entry.access.reads(), entry.access.writes(), covers});
    }
  }
  return true;
}

/// Scalars have no versions: who computes one and who uses it stay together.
void TaskGraph::addValueEdges() {
  for (auto &node : nodes)
    node->op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *definition = operand.getDefiningOp())
          if (Node *other = nodeOf.lookup(definition);
              other && other != node.get()) {
            other->successors.push_back(node.get());
            node->successors.push_back(other);
          }
    });
}

void TaskGraph::tie(ArrayRef<BufferAccess> accesses) {
  for (const BufferAccess &access : accesses.drop_front()) {
    access.node->successors.push_back(accesses.front().node);
    accesses.front().node->successors.push_back(access.node);
  }
}

/// Written anew by each iteration, and used nowhere else: it may have versions.
bool TaskGraph::isPrivate(Value buffer, ArrayRef<BufferAccess> accesses) const {
  ascend::MemoryKind memory = ascend::memoryOf(buffer);
  if (memory != ascend::MemoryKind::UB && memory != ascend::MemoryKind::L1)
    return false;
  const BufferAccess &first = accesses.front();
  if (first.reads || !first.writes || !first.covers)
    return false;
  // The first operation must not read it too.
  for (const BufferAccess &access : accesses)
    if (access.node == first.node && access.reads)
      return false;
  scf::ForOp loop = loops[first.node->core];
  for (Operation *region : buffer.getUsers()) {
    auto isInside = [&](Operation *user) {
      return loop->isProperAncestor(user);
    };
    bool inside = isa<tile::RegionOp>(region)
                      ? llvm::all_of(region->getUsers(), isInside)
                      : isInside(region);
    if (!inside)
      return false;
  }
  return true;
}

void TaskGraph::addExchange(ArrayRef<BufferAccess> accesses) {
  SmallVector<BufferAccess> writers, readers;
  for (const BufferAccess &access : accesses)
    (access.writes ? writers : readers).push_back(access);
  bool crosses = !writers.empty() && !readers.empty() &&
                 writers.front().node->core != readers.front().node->core;
  if (!crosses)
    return tie(accesses);
  hasExchange = true;
  tie(writers);
  tie(readers);
  writers.front().node->successors.push_back(readers.front().node);
}

void TaskGraph::addBufferEdges() {
  for (auto &[buffer, accesses] : buffers) {
    bool isWritten = llvm::any_of(
        accesses, [](const BufferAccess &access) { return access.writes; });
    if (!isWritten)
      continue;
    if (buffer.getDefiningOp<ascend::WorkspaceOp>()) {
      addExchange(accesses);
    } else if (isPrivate(buffer, accesses)) {
      privateBuffers.insert(buffer);
      for (auto [position, later] : llvm::enumerate(accesses))
        for (const BufferAccess &earlier :
             ArrayRef(accesses).take_front(position))
          if ((earlier.writes || later.writes) && earlier.node != later.node)
            earlier.node->successors.push_back(later.node);
    } else {
      tie(accesses);
    }
  }
}

void TaskGraph::formComponents() {
  Node root{nullptr, 0, {}, -1};
  for (auto &node : nodes)
    root.successors.push_back(node.get());
  for (auto part = llvm::scc_begin(&root); !part.isAtEnd(); ++part) {
    Component component;
    for (Node *node : *part)
      if (node != &root)
        component.nodes.push_back(node);
    if (component.nodes.empty())
      continue;
    unsigned core = component.nodes.front()->core;
    if (llvm::any_of(component.nodes,
                     [&](Node *node) { return node->core != core; })) {
      reason = "each iteration needs what the other core type made of the one "
               "before";
      return;
    }
    components.push_back(std::move(component));
  }
  std::reverse(components.begin(), components.end());
  for (auto [index, component] : llvm::enumerate(components))
    for (Node *node : component.nodes)
      node->component = static_cast<int>(index);
}

/// As early as possible: the longest way in transfers between cores.
void TaskGraph::assignTasks() {
  for (Component &component : components)
    component.task = static_cast<int>(component.nodes.front()->core);
  for (Component &component : components)
    for (Node *node : component.nodes)
      for (Node *successor : node->successors) {
        Component &other = components[successor->component];
        int earliest = component.task + (successor->core != node->core ? 1 : 0);
        other.task = std::max(other.task, earliest);
      }
}

bool TaskGraph::isLoad(const Node &node) const {
  SmallVector<OperationAccess> accesses;
  collectAccessesRecursively(node.op, accesses);
  return isa<tile::CopyOp, tile::FillOp>(node.op) &&
         llvm::all_of(accesses, [&](const OperationAccess &entry) {
           Value buffer = rootOf(entry.access.target);
           return entry.access.writes() ? privateBuffers.contains(buffer)
                                        : isa<BlockArgument>(buffer);
         });
}

/// Loads wait for nothing: they go to their first reader, so that no task has
/// to keep them for a later one.
void TaskGraph::sinkLoads() {
  for (Component &component : llvm::reverse(components)) {
    std::optional<int> first;
    for (Node *node : component.nodes) {
      if (!isLoad(*node)) {
        first.reset();
        break;
      }
      for (Node *successor : node->successors)
        if (Component &other = components[successor->component];
            &other != &component)
          first = std::min(first.value_or(other.task), other.task);
    }
    if (first)
      component.task = std::max(component.task, *first);
  }
}

std::optional<int> TaskGraph::taskOf(Operation *op) const {
  if (Node *node = nodeOf.lookup(op))
    return components[node->component].task;
  return std::nullopt;
}

SmallVector<int> TaskGraph::tasks(unsigned core) const {
  SmallVector<int> result;
  for (const Component &component : components)
    if (component.nodes.front()->core == core &&
        !llvm::is_contained(result, component.task))
      result.push_back(component.task);
  llvm::sort(result);
  return result;
}

llvm::MapVector<Value, std::pair<int, int>> TaskGraph::sharedBuffers() const {
  llvm::MapVector<Value, std::pair<int, int>> result;
  for (auto &[buffer, accesses] : buffers) {
    if (!privateBuffers.contains(buffer))
      continue;
    int first = components[accesses.front().node->component].task;
    int last = first;
    for (const BufferAccess &access : accesses) {
      int task = components[access.node->component].task;
      first = std::min(first, task);
      last = std::max(last, task);
    }
    if (first != last)
      result[buffer] = {first, last};
  }
  return result;
}
