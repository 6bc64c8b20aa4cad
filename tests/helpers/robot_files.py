"""Small robots of our own, and where public packages keep theirs."""

import importlib.util
from pathlib import Path

import pytest

ROBOT = """<?xml version="1.0"?>
<robot name="tester">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base">
    <inertial>
      <origin xyz="0.1 0 0.05" rpy="0.3 -0.2 0.5"/><mass value="4"/>
      <inertia ixx="0.3" ixy="0.02" ixz="-0.01" iyy="0.25" iyz="0.03" izz="0.2"/>
    </inertial>
    <collision><origin xyz="0 0 0.05"/><geometry><box size="0.4 0.3 0.1"/></geometry></collision>
    <visual><geometry><box size="0.4 0.3 0.1"/></geometry><material name="red"/></visual>
  </link>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.2"/><mass value="1.5"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.002"/>
    </inertial>
    <collision>
      <origin xyz="0 0 0.2"/><geometry><cylinder radius="0.03" length="0.3"/></geometry>
    </collision>
  </link>
  <link name="plate">
    <inertial>
      <origin xyz="0.01 0.02 0.03" rpy="0 0 1"/><mass value="0.5"/>
      <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.003" iyz="0" izz="0.004"/>
    </inertial>
    <collision><geometry><sphere radius="0.04"/></geometry></collision>
  </link>
  <link name="lower">
    <inertial>
      <origin xyz="0.05 0 0.1" rpy="1 0 0"/><mass value="0.8"/>
      <inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.009" iyz="0" izz="0.005"/>
    </inertial>
    <collision>
      <origin xyz="0 0 0.1" rpy="0.1 0.2 0.3"/>
      <geometry><mesh filename="wedge.stl" scale="0.1 0.1 0.2"/></geometry>
    </collision>
  </link>
  <link name="slider">
    <inertial><mass value="0.3"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial>
    <visual><geometry><box size="0.05 0.05 0.05"/></geometry></visual>
  </link>
  <link name="wheel">
    <inertial><mass value="0.4"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.0015"/></inertial>
    <collision><geometry><cylinder radius="0.08" length="0.03"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/>
    <origin xyz="0.1 0.05 0.12" rpy="0.2 0.1 -0.3"/><axis xyz="1 2 0.5"/>
    <limit lower="-1.2" upper="0.9" effort="30" velocity="2"/>
    <dynamics damping="0.3" friction="0.1"/>
  </joint>
  <joint name="bolt" type="fixed">
    <parent link="upper"/><child link="plate"/><origin xyz="0 0.05 0.3" rpy="0.5 0 0"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="plate"/><child link="lower"/>
    <origin xyz="0 0 0.1" rpy="0 0.4 0"/><axis xyz="0 1 0"/>
    <limit lower="0.2" upper="2.0" effort="10" velocity="3"/>
  </joint>
  <joint name="rail" type="prismatic">
    <parent link="lower"/><child link="slider"/>
    <origin xyz="0 0 0.3" rpy="0.3 0 0.1"/><axis xyz="0 1 1"/>
    <limit lower="-0.1" upper="0.2" effort="50" velocity="1"/>
    <dynamics damping="2"/>
    <mimic joint="elbow"/>
  </joint>
  <joint name="axle" type="continuous">
    <parent link="base"/><child link="wheel"/>
    <origin xyz="-0.3 0 0" rpy="1.5707963267948966 0 0"/><axis xyz="0 0 1"/>
  </joint>
  <transmission name="drive"/>
  <gazebo reference="base"/>
</robot>
"""

ARM = """<mujoco model="arm">
  <compiler angle="radian"/>
  <option timestep="0.002"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" pos="0 0 -2"/>
    <body name="upper" pos="0 0 1">
      <joint name="pan" type="hinge" axis="0 0 1" damping="0.05"/>
      <joint name="lift" type="hinge" axis="0 1 0" range="-2 2" limited="true" damping="0.1"/>
      <joint name="roll" type="hinge" axis="1 0 0" stiffness="0.5" springref="0.4" damping="0.02"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05" mass="2"/>
      <body name="lower" pos="0.5 0 0" euler="0 0.35 0">
        <joint name="elbow" type="hinge" axis="0 1 0.2" frictionloss="0.05"/>
        <geom type="box" size="0.2 0.03 0.04" pos="0.2 0 0" mass="1"/>
        <geom type="sphere" size="0.01" contype="0" conaffinity="0" pos="0.1 0 0"/>
        <body name="tip" pos="0.4 0 0">
          <geom type="ellipsoid" size="0.05 0.03 0.03" mass="0.2"/>
        </body>
        <body name="weight" pos="0.3 0 -0.1">
          <joint name="rail" type="slide" axis="1 0 0" stiffness="60" damping="1.5"/>
          <geom type="cylinder" size="0.04 0.05" mass="0.3"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
"""Three hinges in one body, an elbow and a slide, all in the air."""


def public(package, *parts):
    """A file of a public package; the test is skipped where that is not installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    return Path(spec.origin).parent.joinpath(*parts)


def write_robot(folder):
    """The URDF robot with its mesh, in a folder."""
    trimesh = pytest.importorskip("trimesh")
    wedge = trimesh.Trimesh(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    )
    wedge.export(folder / "wedge.stl")
    path = folder / "tester.urdf"
    path.write_text(ROBOT)
    return path
